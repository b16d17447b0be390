/** Settings of a process's two stores: unwritten decisions, and recent ones whose reports may come. */
export const bufferSettings = {
  /** Maximum number of unwritten decisions: an outage of 100 s at 100 recommendations a second. Chosen. */
  decisionsMax: 10_000,
  /**
   * Maximum number of recent decisions kept for their reports: those of about 50 s at 100 recommendations a
   * second. Chosen.
   */
  givenMax: 5_000,
  /** Maximum number of waiting decisions that one statement writes. */
  batchRows: 32,
  /** Maximum time that a caller waits for its write, ms: less than the engine's `ledgerBudgetMs`. Chosen. */
  writeMs: 600,
  /** First pause after a failed write, and longest pause, ms. */
  retryMs: 200,
  retryMsMax: 1_000,
  /** Time limit of one write, ms, so that a hanging connection does not delay the next write. */
  attemptMs: 2_000,
  /** Longest wait of a stopping service for its last write, ms. Chosen. */
  stopMs: 1_500
} as const
