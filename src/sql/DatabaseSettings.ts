/**
 * Numbers of the service's connections to PostgreSQL, the embedded one or one elsewhere.
 */
export const databaseSettings = {
  /**
   * A transaction has a connection to itself, so this bounds open transactions. A copy holds them all from
   * its start, and two more for reports. Chosen.
   */
  connections: 10,
  /** Most feedbacks that settle at once, count: each holds a connection, and others must find one. Chosen. */
  settlements: 7,
  /** Most settlements of an account in one transaction, count. At 16 each takes a third more of the CPU. */
  settledTogether: 32,
  /**
   * Longest that an account's next settlements wait for those under way, ms. A group that takes longer is
   * given up, and each in it settles alone, in what is left of its budget. Chosen.
   */
  groupMs: 3_000,
  /** Longest that a connection may take to be made, ms: under a request's patience, so that a probe ends. */
  connectMs: 2_000,
  /**
   * Longest that the server may be silent after it was asked, ms: a little more than a statement may take. A
   * connection whose way was cut without a word is then given up.
   */
  silentMs: 12_000,
  /** Idle time after which TCP asks whether the other end is there, ms: finds a host that is gone. Chosen. */
  keepAliveMs: 30_000,
  /**
   * Longest that a statement may run before the server ends it, ms. The slowest of the service's own loads a
   * page of a lane in some 50 ms; maintenance and migrations set another for their transaction.
   */
  statementMs: 10_000,
  /**
   * Longest that a statement may wait for another's lock, ms: a feedback is told to retry instead. Chosen.
   */
  lockMs: 2_000,
  /**
   * Longest that a transaction may sit between two statements, ms: a process that hangs gives its locks back.
   */
  idleTransactionMs: 30_000,
  /** Longest that a start waits for the database before the service begins without it, ms. Chosen. */
  startMs: 4_000,
  /** First and longest pause between two attempts to prepare the database, ms. Recovery is due within 5 s. */
  retryMs: 200,
  retryMsMax: 2_000,
  /** How often the log says again that the database is still out, ms. Chosen. */
  reminderMs: 60_000,
  /**
   * Furthest that this machine's clock may be from the database's and still be used, ms. Below what any age
   * or window of ours tells apart. Chosen.
   */
  clockToleranceMs: 2_000,
  /** How often the two are compared; least pause when this machine's has made a step, ms. Chosen. */
  clockEveryMs: 30_000,
  clockPauseMs: 1_000,
  /** Attempts after a deadlock or a serialization failure, count; the first pause, ms. Chosen. */
  transientRetriesMax: 4,
  transientPauseMs: 10
} as const
