/** Numbers of the decisions that wait in the process, and in its spool, while the ledger is out. */
export const bufferSettings = {
  /**
   * Most decisions that wait, count; then the account with most of them loses its oldest. One takes some 4 kB
   * without memory's evidence, at most 10, so all take at most 100 MB; at 100 recommendations a second it is
   * an outage of 100 s. Chosen.
   */
  decisionsMax: 10_000,
  /** Decisions written in one go, count: one statement of the ledger's. */
  batchRows: 32,
  /**
   * Most bytes of the process's spool on disk; further decisions wait in memory alone. At 10 kB each it is an
   * outage of four minutes at 100 recommendations a second. Chosen.
   */
  spoolBytesMax: 256 * 2 ** 20,
  /**
   * Longest that a caller waits for its write, ms: 400 under the engine's 1,000, in which the decision is
   * forced to the spool instead.
   */
  writeMs: 600,
  /** First and longest pause between two attempts while the ledger is out, ms. Recovery is due within 5 s. */
  retryMs: 200,
  retryMsMax: 1_000,
  /**
   * Longest that one attempt may take, ms: a connection that nobody answers must not hold up the next one.
   */
  attemptMs: 2_000,
  /**
   * Longest that a stop waits for what is left to be written, ms; of the 10 s that a stop may take. Chosen.
   */
  stopMs: 1_500
} as const
