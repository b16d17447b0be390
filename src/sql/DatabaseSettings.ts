/** Settings of the service's connections to PostgreSQL, embedded or external. */
export const databaseSettings = {
  /** Connections of the pool. A copy opens all of them at its start, and two more for reports. Chosen. */
  connections: 10,
  /** Minimum of a process that shares its port: two for reports, and two for other requests. */
  connectionsMin: 4,
  /** Maximum number of transactions that apply reports; the rest of the pool is for reads. Chosen. */
  reportsAtOnce: 7,
  /** Maximum number of reports in one transaction. With 16, each takes a third more processor time. */
  appliedTogether: 32,
  /**
   * Maximum time of a group of reports, ms. A slower group is rolled back, and each of its reports is then
   * applied alone. Chosen.
   */
  groupMs: 3_000,
  /** Maximum time to open a connection, ms; shorter than a request's, so that a probe ends. */
  connectMs: 2_000,
  /** Maximum silence of the server after a request, ms: a little more than `statementMs`. */
  silentMs: 12_000,
  /** Idle time after which TCP checks whether the other host is still there, ms. Chosen. */
  keepAliveMs: 30_000,
  /** Maximum time of a statement, ms. The slowest statement of a request takes some 50 ms. */
  statementMs: 10_000,
  /** Maximum wait for a lock, ms. A feedback that waits longer is asked to retry. Chosen. */
  lockMs: 2_000,
  /** Maximum pause within a transaction, ms. A process that hangs loses its locks after this time. */
  idleTransactionMs: 30_000,
  /** Maximum time that a start waits for the database, ms. The service then starts without it. Chosen. */
  startMs: 4_000,
  /** First and longest pause between attempts to reach the database, ms. Recovery must take <= 5 s. */
  retryMs: 200,
  retryMsMax: 2_000,
  /** Pause before the log repeats that the database is unreachable, ms. Chosen. */
  reminderMs: 60_000,
  /** Ignored difference of the clocks, ms: less than any age that the service distinguishes. Chosen. */
  clockToleranceMs: 2_000,
  /** Interval of clock comparisons, ms; the second is the minimum after a clock's jump. Chosen. */
  clockEveryMs: 30_000,
  clockPauseMs: 1_000,
  /** Number of retries after a deadlock or a serialization failure, and the first pause, ms. Chosen. */
  transientRetriesMax: 4,
  transientPauseMs: 10
} as const
