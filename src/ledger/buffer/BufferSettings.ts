/** Settings of the two stores of decisions in a process: unwritten decisions, and recent ones for reports. */
export const bufferSettings = {
  /**
   * Most unwritten decisions, count. When the buffer is full, the account with most decisions loses its
   * oldest. A decision takes some 4 kB without memory's evidence, and at most 10 kB, so all take at most
   * 100 MB. At 100 recommendations a second the buffer covers an outage of 100 s. Chosen.
   */
  decisionsMax: 10_000,
  /**
   * Most recent decisions that are kept for their reports, count. With memory's evidence each takes some
   * 7 kB, so all take 35 MB. At 100 recommendations a second a report within 50 s needs no read. Chosen.
   */
  givenMax: 5_000,
  /** Waiting decisions that one statement writes, count. */
  batchRows: 32,
  /** Longest time that a caller waits for its write, ms. Below the engine's limit of 1,000. Chosen. */
  writeMs: 600,
  /** First and longest pause between two attempts while the ledger is out, ms. Recovery is due within 5 s. */
  retryMs: 200,
  retryMsMax: 1_000,
  /** Longest time of one attempt, ms. A connection that never answers must not delay the next attempt. */
  attemptMs: 2_000,
  /** Longest time that a stop waits for the last write, ms. A stop may take 10 s in all. Chosen. */
  stopMs: 1_500
} as const
