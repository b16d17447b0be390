/** Settings of the service's connections to PostgreSQL, embedded or external. */
export const databaseSettings = {
  /**
   * Connections of the pool, count. Each transaction takes one, so this bounds open transactions. A copy of
   * the service holds them all from its start, and two more for reports. Chosen.
   */
  connections: 10,
  /**
   * Fewest connections of one of several processes on a port, count: two reports are applied, others wait
   * for none.
   */
  connectionsMin: 4,
  /**
   * Most reports that are applied at once, count. Each holds a connection, and reads need some as well.
   * Chosen.
   */
  reportsAtOnce: 7,
  /** Most reports of an account in one transaction, count. At 16 each takes a third more CPU time. */
  appliedTogether: 32,
  /**
   * Longest that an account's next reports wait for those that run, ms. A group that takes longer is
   * rolled back, and each of its members is applied alone in the time that it has left. Chosen.
   */
  groupMs: 3_000,
  /**
   * Longest that opening a connection may take, ms: shorter than a request may take, so that a probe ends.
   */
  connectMs: 2_000,
  /**
   * Longest that the server may be silent after a request, ms: a little more than a statement may take. A
   * connection that is silent for longer is closed, since the network to the server may be cut.
   */
  silentMs: 12_000,
  /** Idle time after which TCP probes the other end, ms: finds a host that is gone. Chosen. */
  keepAliveMs: 30_000,
  /**
   * Longest that a statement may run before the server ends it, ms. The slowest statement of a request, which
   * loads a page of a lane, takes some 50 ms. Maintenance and migrations set their own limit for their
   * transaction.
   */
  statementMs: 10_000,
  /**
   * Longest that a statement may wait for a lock, ms. A feedback that waits longer is answered with a retry.
   * Chosen.
   */
  lockMs: 2_000,
  /**
   * Longest that a transaction may be idle between two statements, ms, so that a process that hangs frees its
   * locks.
   */
  idleTransactionMs: 30_000,
  /** Longest that a start waits for the database before the service serves without it, ms. Chosen. */
  startMs: 4_000,
  /** First and longest pause between two tries to prepare the database, ms. Recovery is due within 5 s. */
  retryMs: 200,
  retryMsMax: 2_000,
  /** How often the log repeats that the database is unreachable, ms. Chosen. */
  reminderMs: 60_000,
  /**
   * Largest difference between this machine's clock and the database's at which the machine's is still used,
   * ms. It is smaller than any age or window that the service distinguishes. Chosen.
   */
  clockToleranceMs: 2_000,
  /**
   * Interval between two comparisons of the clocks, ms, and the shortest one after this machine's made a
   * step. Chosen.
   */
  clockEveryMs: 30_000,
  clockPauseMs: 1_000,
  /** Tries after a deadlock or a serialization failure, count; the first pause, ms. Chosen. */
  transientRetriesMax: 4,
  transientPauseMs: 10
} as const
