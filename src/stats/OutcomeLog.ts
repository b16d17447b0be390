/* The log of judged decisions that estimates of policies read. */

/**
 * Judged decisions in columns: an entry per row, or per candidate of a row. Rows are oldest first. The
 * candidates of row i are the entries [first[i], first[i + 1]). A candidate is named by its entry.
 */
export interface OutcomeLog {
  readonly rows: number
  /** Numbers of different models, groups, clusters and types. */
  readonly models: number
  readonly groups: number
  readonly clusters: number
  readonly types: number
  /** Group of each row: a cluster in a lane. */
  readonly group: Int32Array
  readonly clusterOfGroup: Int32Array
  readonly typeOfCluster: Int32Array
  /** Unit of the costs of each cluster: a call or a run. */
  readonly unitOfCluster: Int32Array
  /** First candidate of each row, and the number of all candidates. */
  readonly first: Int32Array
  /** Per candidate: its model, predicted success in [0, 1], estimated cost, and whether it was eligible. */
  readonly model: Int32Array
  readonly prediction: Float64Array
  readonly costUsd: Float64Array
  readonly isEligible: Uint8Array
  /** Per row: the candidate that was recommended, and the candidate that ran; -1 if it was no candidate. */
  readonly recommended: Int32Array
  readonly ran: Int32Array
  /** Probability of the recommended pick, in (0, 1]; 1 if nothing was drawn. */
  readonly propensity: Float64Array
  /** Success of the model that ran, in [0, 1], and its bill, USD; NaN without a bill. */
  readonly success: Float64Array
  readonly billUsd: Float64Array
  /** Fold of each row, in [0, folds): estimates for the row are learned from other folds. */
  readonly fold: Uint8Array
  /** Block of each row: the rows of a block are resampled together. */
  readonly block: Int32Array
  readonly blocks: number
}

/** Folds of a log. Without a row's own fold, five leave two disjoint pairs for an oracle. */
export const folds = 5

/** Most blocks of a log: more blocks resample no better, and cost time. */
export const blocksMax = 400

/** True if the caller ran the recommended model, so that the logged propensity is the model's. */
export const isFollowed = (log: OutcomeLog, row: number): boolean =>
  log.ran[row]! >= 0 && log.ran[row] === log.recommended[row]

/** True if the pick was drawn at random. Otherwise no other model could have been picked. */
export const isDrawn = (log: OutcomeLog, row: number): boolean => log.propensity[row]! < 1 - 1e-9
