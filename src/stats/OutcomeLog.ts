/* The log of judged decisions that estimates of policies read. */

/**
 * Judged decisions in columns: one entry per row, and one per candidate of a row. Rows are oldest first. The
 * candidates of row i are the entries from `first[i]` up to `first[i + 1]`; a candidate is named by its
 * entry.
 */
export interface OutcomeLog {
  readonly rows: number
  /** How many different models, groups, clusters and types there are. */
  readonly models: number
  readonly groups: number
  readonly clusters: number
  readonly types: number
  /** Per row: a lane's part of a cluster; per group its cluster; per cluster its task type, and its unit. */
  readonly group: Int32Array
  readonly clusterOfGroup: Int32Array
  readonly typeOfCluster: Int32Array
  readonly unitOfCluster: Int32Array
  /** Per row, and one past the last. */
  readonly first: Int32Array
  /** Per candidate: which model, predicted success in [0, 1], estimated cost, cleared the bar when logged. */
  readonly model: Int32Array
  readonly prediction: Float64Array
  readonly costUsd: Float64Array
  readonly isEligible: Uint8Array
  /** Per row the candidate that was recommended, and the one that ran; -1 when it was no candidate. */
  readonly recommended: Int32Array
  readonly ran: Int32Array
  /** Probability with which the recommended one was picked, in (0, 1]; 1 where it decided nothing. */
  readonly propensity: Float64Array
  /** What the one that ran achieved, in [0, 1], and what it cost; NaN without a bill. */
  readonly success: Float64Array
  readonly billUsd: Float64Array
  /** Per row: which part of the log may not judge it, in [0, folds), and what it is resampled with. */
  readonly fold: Uint8Array
  readonly block: Int32Array
  readonly blocks: number
}

/** Parts of a log that judge each other. Five leave a fifth out, and two disjoint pairs for an oracle. */
export const folds = 5

/** More blocks resample no better, and cost time. */
export const blocksMax = 400

/** The caller ran what was recommended: only then does the logged propensity say how that came about. */
export const isFollowed = (log: OutcomeLog, row: number): boolean =>
  log.ran[row]! >= 0 && log.ran[row] === log.recommended[row]

/** The pick was drawn; otherwise no other model could have been picked on this row. */
export const isDrawn = (log: OutcomeLog, row: number): boolean => log.propensity[row]! < 1 - 1e-9
