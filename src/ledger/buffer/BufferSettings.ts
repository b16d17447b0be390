/** Settings of the decisions that a process keeps: unwritten ones, and the last ones that it gave. */
export const bufferSettings = {
  /**
   * Most decisions in the buffer, count; above it the account with the most loses its oldest. One takes some
   * 4 kB without memory's evidence, at most 10, so all take at most 100 MB; at 100 recommendations a second
   * that is an outage of 100 s. Chosen.
   */
  decisionsMax: 10_000,
  /**
   * Most decisions that are kept for their reports, count: with memory's evidence some 7 kB each, so all
   * take 35 MB; at 100 recommendations a second a report that comes within 50 s needs no read. Chosen.
   */
  givenMax: 5_000,
  /** Decisions that one statement of the ledger writes, count. */
  batchRows: 32,
  /** Longest that a caller waits for its write, ms, under the engine's 1,000. Chosen. */
  writeMs: 600,
  /** First and longest pause between two tries while the ledger is out, ms. Recovery is due within 5 s. */
  retryMs: 200,
  retryMsMax: 1_000,
  /**
   * Longest that one attempt may take, ms, so that a connection that never answers does not delay the next
   * attempt.
   */
  attemptMs: 2_000,
  /** Longest that a stop waits for the rest to be written, ms, of the 10 s that a stop may take. Chosen. */
  stopMs: 1_500
} as const
