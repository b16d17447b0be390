/** Settings of the service's connections to PostgreSQL, embedded or external. */
export const databaseSettings = {
  /** Number of connections for requests, divided among the processes that share a port. Chosen. */
  connections: 10,
  /** Minimum number of connections of a process that shares its port with other processes. */
  connectionsMin: 4,
  /** Maximum concurrent transactions that apply reports, in a process with all `connections`. Chosen. */
  reportsAtOnce: 7,
  /** Maximum number of reports in one transaction. Measured. */
  appliedTogether: 32,
  /** Maximum time of the transaction of a group of reports, ms. Chosen. */
  groupMs: 3_000,
  /** Maximum time to open a connection, ms. */
  connectMs: 2_000,
  /** Maximum silence of the server after a request, ms: a little more than `statementMs`. */
  silentMs: 12_000,
  /** Idle time after which TCP checks whether the other host is still there, ms. Chosen. */
  keepAliveMs: 30_000,
  /** Maximum time of a request's statement, ms. */
  statementMs: 10_000,
  /** Maximum wait of a request's statement for a lock, ms. Chosen. */
  lockMs: 2_000,
  /** Maximum pause within a transaction, ms; afterwards PostgreSQL ends the session and its locks. */
  idleTransactionMs: 30_000,
  /** Time after which the service starts even if the database at a URL is not ready, ms. Chosen. */
  startMs: 4_000,
  /** First pause between attempts to reach the database, and longest pause, ms. */
  retryMs: 200,
  retryMsMax: 2_000,
  /** Pause before the log repeats that the database is unreachable, ms. Chosen. */
  reminderMs: 60_000,
  /** Difference between the machine's and the database's clock that is ignored, ms. Chosen. */
  clockToleranceMs: 2_000,
  /** Usual interval between two readings of the database's clock, and minimum interval, ms. Chosen. */
  clockEveryMs: 30_000,
  clockPauseMs: 1_000,
  /** Number of retries after a deadlock or a serialization failure, and the first pause, ms. Chosen. */
  transientRetriesMax: 4,
  transientPauseMs: 10
} as const
