/** Settings of a process's two stores: unwritten decisions, and recent ones whose reports may come. */
export const bufferSettings = {
  /**
   * Maximum number of unwritten decisions, of 4 to 10 kB each, so at most 100 MB. At 100 recommendations a
   * second the buffer covers an outage of 100 s. Chosen.
   */
  decisionsMax: 10_000,
  /**
   * Maximum number of recent decisions kept for their reports, of 7 kB each. At 100 recommendations a second,
   * a report within 50 s needs no read from the ledger. Chosen.
   */
  givenMax: 5_000,
  /** Number of waiting decisions that one statement writes. */
  batchRows: 32,
  /** Longest wait of a caller for its write, ms. The engine's limit of 1,000 ms must be higher. Chosen. */
  writeMs: 600,
  /** First and longest pause between two attempts, ms. Writing must resume within 5 s after an outage. */
  retryMs: 200,
  retryMsMax: 1_000,
  /** Time limit of one attempt, ms. A connection that never answers must not delay the next attempt. */
  attemptMs: 2_000,
  /** Longest wait of a stopping service for its last write, ms. A stop may take 10 s in total. Chosen. */
  stopMs: 1_500
} as const
