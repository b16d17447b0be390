/* The log of judged decisions that estimates of policies read. */

/**
 * Judged decisions in columns, with one entry for each row, or one for each candidate of a row. Rows are
 * sorted from the oldest to the newest. The candidates of row i are the entries [first[i], first[i + 1]).
 */
export interface OutcomeLog {
  readonly rows: number
  /** Numbers of distinct models, groups, clusters and task types. */
  readonly models: number
  readonly groups: number
  readonly clusters: number
  readonly types: number
  /** Group of each row: a cluster in one lane, or a whole cluster. */
  readonly group: Int32Array
  readonly clusterOfGroup: Int32Array
  readonly typeOfCluster: Int32Array
  /** Unit of the costs of each cluster: a call or a run. */
  readonly unitOfCluster: Int32Array
  /** First candidate of each row, and at the end the number of all candidates. */
  readonly first: Int32Array
  /** For each candidate: model, predicted success in [0, 1], estimated cost, and whether it was eligible. */
  readonly model: Int32Array
  readonly prediction: Float64Array
  readonly costUsd: Float64Array
  readonly isEligible: Uint8Array
  /** For each row: the candidates that were recommended and that ran; -1 if the model was no candidate. */
  readonly recommended: Int32Array
  readonly ran: Int32Array
  /** Probability of picking the recommended model, in (0, 1]; 1 if the pick was not drawn at random. */
  readonly propensity: Float64Array
  /** Success of the model that ran, in [0, 1], and its bill, USD; NaN if it has no bill. */
  readonly success: Float64Array
  readonly billUsd: Float64Array
  /** Fold of each row, in [0, folds): estimates for the row are learned from other folds. */
  readonly fold: Uint8Array
  /** Block of each row; the rows of a block are resampled together. */
  readonly block: Int32Array
  readonly blocks: number
}

/** Number of folds: a row's own, two that choose the row's best candidate, and two that judge the choice. */
export const folds = 5

/** Maximum number of blocks, because more blocks resample no better and cost time. */
export const blocksMax = 400

/** True if the caller ran the recommended model, and the model was a candidate. */
export const isFollowed = (log: OutcomeLog, row: number): boolean =>
  log.ran[row]! >= 0 && log.ran[row] === log.recommended[row]

/** Returns true if the pick was drawn at random; otherwise no other model could have been picked. */
export const isDrawn = (log: OutcomeLog, row: number): boolean => log.propensity[row]! < 1 - 1e-9
