/** Limits and pauses for sending reports to a remote memory. */
export const deliverySettings = {
  /**
   * Maximum time that a feedback request waits for its writes, ms: as long as a decision may take to be
   * stored.
   */
  directMs: 1_000,
  /**
   * Pause between two searches for accounts that are due, ms. A reader of the lane does not notice so short a
   * delay, and a search that finds no due account costs nothing.
   */
  tickMs: 250,
  /**
   * Number of accounts that are served at the same time, so that one slow account does not delay the others.
   */
  concurrency: 4,
  /** Pause after the first failure, ms. Each further failure doubles the pause, up to `pauseMsMax`. */
  pauseMs: 500,
  /**
   * Longest pause after a failure, ms. The circuit breaker keeps requests from the memory; this pause keeps
   * them from the database.
   */
  pauseMsMax: 5_000,
  /**
   * Time for which a leased lane, or a report just stored, belongs to its process alone, ms. The process
   * sends in the first half, because a single write may take 5 s. After a crash of the process, the lane
   * waits no longer than this time.
   */
  leaseMs: 15_000,
  /**
   * Maximum number of reports that are sent under one lease. With four writes of 5 ms each, a lease takes a
   * second.
   */
  batchReportsMax: 50,
  /**
   * Number of bad answers of a working memory after which a write is given up. With the longest pause, 720
   * tries take an hour. A memory that fails at every request usually recovers earlier. If a failing memory
   * does not recover, the circuit breaker opens, and blocked requests are not counted.
   */
  badAnswersMax: 720,
  /** Pause between two checks of a calling account for reports that another process left, ms. */
  recheckMs: 30_000,
  /**
   * Longest wait for the log's database, ms. A third of the lease is short enough: a process notices a
   * database failure before another process can lease the lane.
   */
  storeMs: 5_000,
  /** Maximum number of accounts whose key is remembered, which equals the limit of verified keys. */
  accountsMax: 10_000
}

export type DeliverySettings = Readonly<typeof deliverySettings>
