/**
 * Settings of a process's two stores of decisions: the unwritten ones, and the recent ones whose reports may
 * come.
 */
export const bufferSettings = {
  /**
   * Maximum number of unwritten decisions. When the buffer is full, the account with most decisions loses its
   * oldest decision. A decision takes about 4 kB without memory's evidence, and at most 10 kB, so all
   * decisions take at most 100 MB. At 100 recommendations a second the buffer covers an outage of 100 s.
   * Chosen.
   */
  decisionsMax: 10_000,
  /**
   * Maximum number of recent decisions that are kept for their reports. With memory's evidence a decision
   * takes about 7 kB, so all take 35 MB. At 100 recommendations a second, a report within 50 s needs no read
   * from the ledger. Chosen.
   */
  givenMax: 5_000,
  /** Number of waiting decisions that one statement writes. */
  batchRows: 32,
  /**
   * Longest time that a caller waits until its decision is written, ms. The limit must be below the engine's
   * limit of 1,000 ms. Chosen.
   */
  writeMs: 600,
  /**
   * First and longest pause between two attempts while the ledger is unavailable, ms. Writing must resume
   * within 5 s after an outage.
   */
  retryMs: 200,
  retryMsMax: 1_000,
  /**
   * Time limit of one attempt to write, ms. A connection that never answers must not delay the next attempt.
   */
  attemptMs: 2_000,
  /**
   * Longest time that a stopping service waits for its last write, ms. A stop may take 10 s in total. Chosen.
   */
  stopMs: 1_500
} as const
