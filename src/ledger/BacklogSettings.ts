/** Numbers of the decisions that wait in the process while the ledger is out. */
export const backlogSettings = {
  /**
   * Most decisions that wait, count; then the account with most of them loses its oldest. One takes some 4 kB
   * without memory's evidence, at most 10, so all take at most 100 MB; at 100 recommendations a second it is
   * an outage of 100 s. Chosen.
   */
  decisionsMax: 10_000,
  /** Decisions written in one go, count: one statement of the ledger's. */
  batchRows: 32,
  /**
   * Longest that a caller waits for its write, ms: under the engine's 1,000, so that it is kept before then.
   */
  writeMs: 800,
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
