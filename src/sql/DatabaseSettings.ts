/** Settings of the service's connections to PostgreSQL, embedded or external. */
export const databaseSettings = {
  /**
   * Number of connections of the pool, and so the maximum number of concurrent transactions. A copy of the
   * service opens all these connections at its start, and two more for reports. Chosen.
   */
  connections: 10,
  /**
   * Minimum number of connections of a process that shares its port with others. Two of these connections can
   * apply reports while other requests still find a free one.
   */
  connectionsMin: 4,
  /**
   * Maximum number of concurrent transactions that apply reports. The other connections of the pool are for
   * reads. Chosen.
   */
  reportsAtOnce: 7,
  /**
   * Maximum number of an account's reports in one transaction. With 16 reports per transaction, each report
   * takes a third more processor time.
   */
  appliedTogether: 32,
  /**
   * Maximum time that a group of an account's reports may take, ms. A group that takes longer is rolled back.
   * Each report of the group is then applied alone, in the time that the report has left. Chosen.
   */
  groupMs: 3_000,
  /**
   * Maximum time to open a connection, ms. The time to connect is shorter than a request, so that a probe
   * ends.
   */
  connectMs: 2_000,
  /**
   * Maximum time for which the server may be silent after a request, ms: a little more than `statementMs`. A
   * connection that is silent for longer is closed, because the network may be cut.
   */
  silentMs: 12_000,
  /** Idle time after which TCP checks whether the other host is still there, ms. Chosen. */
  keepAliveMs: 30_000,
  /**
   * Maximum time of a statement before the server ends it, ms. The slowest statement of a request loads a
   * page of a lane in some 50 ms. Maintenance and migrations set their own time limit.
   */
  statementMs: 10_000,
  /**
   * Maximum time that a statement waits for a lock, ms. A feedback that waits longer for a lock is answered
   * with a request to retry. Chosen.
   */
  lockMs: 2_000,
  /**
   * Maximum pause between two statements of a transaction, ms. A process that hangs in a transaction loses
   * its locks after this time.
   */
  idleTransactionMs: 30_000,
  /**
   * Maximum time that a start waits for the database, ms. After this time, the service starts without the
   * database. Chosen.
   */
  startMs: 4_000,
  /**
   * First pause between two attempts to prepare the database, and longest pause, ms. Recovery must take at
   * most 5 s.
   */
  retryMs: 200,
  retryMsMax: 2_000,
  /** Pause before the log repeats that the database is unreachable, ms. Chosen. */
  reminderMs: 60_000,
  /**
   * Maximum difference between this machine's clock and the database's clock that is ignored, ms. The ignored
   * difference is smaller than every age or window that the service distinguishes. Chosen.
   */
  clockToleranceMs: 2_000,
  /**
   * Interval between two comparisons of the clocks, ms. The second value is the minimum interval, which
   * applies after this machine's clock has jumped. Chosen.
   */
  clockEveryMs: 30_000,
  clockPauseMs: 1_000,
  /** Number of retries after a deadlock or a serialization failure, and the first pause, ms. Chosen. */
  transientRetriesMax: 4,
  transientPauseMs: 10
} as const
