/** Settings of the service's connections to PostgreSQL, embedded or external. */
export const databaseSettings = {
  /**
   * Connections of the pool, count, and so the most transactions at once. A copy of the service opens all of
   * them at its start, and two more for reports. Chosen.
   */
  connections: 10,
  /**
   * Fewest connections of a process that shares its port, count. Two of them can apply reports while other
   * requests still find a free one.
   */
  connectionsMin: 4,
  /** Most transactions that apply reports at once, count. The rest of the pool is for reads. Chosen. */
  reportsAtOnce: 7,
  /** Most reports of an account in one transaction, count. At 16 each report takes a third more CPU time. */
  appliedTogether: 32,
  /**
   * Longest that a group of an account's reports may take, ms. A slower group is rolled back. Each of its
   * reports is then applied alone, in the rest of its time. Chosen.
   */
  groupMs: 3_000,
  /** Longest that opening a connection may take, ms. It is shorter than a request, so that a probe ends. */
  connectMs: 2_000,
  /**
   * Longest that the server may be silent after a request, ms: a little more than `statementMs`. A connection
   * that is silent for longer is closed, because the network may be cut.
   */
  silentMs: 12_000,
  /** Idle time after which TCP checks whether the other host is still there, ms. Chosen. */
  keepAliveMs: 30_000,
  /**
   * Longest that a statement may run before the server ends it, ms. The slowest statement of a request loads
   * a page of a lane in some 50 ms. Maintenance and migrations set their own limit.
   */
  statementMs: 10_000,
  /**
   * Longest that a statement may wait for a lock, ms. A feedback that waits longer is answered with a retry.
   * Chosen.
   */
  lockMs: 2_000,
  /** Longest pause between two statements of a transaction, ms. A process that hangs then frees its locks. */
  idleTransactionMs: 30_000,
  /** Longest that a start waits for the database, ms. Then the service starts without it. Chosen. */
  startMs: 4_000,
  /** First and longest pause between two attempts to prepare the database, ms: recovery is due in 5 s. */
  retryMs: 200,
  retryMsMax: 2_000,
  /** Pause before the log repeats that the database is unreachable, ms. Chosen. */
  reminderMs: 60_000,
  /**
   * Largest difference between this machine's clock and the database's clock that is ignored, ms. It is
   * smaller than every age or window that the service distinguishes. Chosen.
   */
  clockToleranceMs: 2_000,
  /**
   * Interval between two comparisons of the clocks, ms. The second value is the shortest interval, which
   * applies after this machine's clock has jumped. Chosen.
   */
  clockEveryMs: 30_000,
  clockPauseMs: 1_000,
  /** Retries after a deadlock or a serialization failure, count, and the first pause, ms. Chosen. */
  transientRetriesMax: 4,
  transientPauseMs: 10
} as const
