/** Limits and pauses of sending reports to a remote memory. */
export const deliverySettings = {
  /**
   * Longest that a feedback request waits for its writes, ms: as long as a decision may take to be stored.
   */
  directMs: 1_000,
  /**
   * Pause between two searches for accounts that are due, ms. A reader of the lane does not notice so short a
   * delay, and a search without such an account does no work.
   */
  tickMs: 250,
  /** Accounts served at the same time, count. One slow account then does not delay the others. */
  concurrency: 4,
  /** Pause after the first failure, ms. Each further failure doubles the pause, up to the longest. */
  pauseMs: 500,
  /**
   * Longest pause after a failure, ms. The circuit breaker spares the memory; the pause spares the database.
   */
  pauseMsMax: 5_000,
  /**
   * How long a leased lane, or a report just stored, belongs to its process alone, ms. The process sends in
   * the first half, because a single write may take 5 s. After a crash the lane waits no longer than this.
   */
  leaseMs: 15_000,
  /** Most reports sent under one lease, count. With four writes of 5 ms each, a lease takes a second. */
  batchReportsMax: 50,
  /**
   * Bad answers of a working memory after which a write is given up, count. With the longest pause, 720 tries
   * take an hour. Most memories that fail at every request recover earlier. Otherwise the circuit breaker
   * opens, and blocked requests are not counted.
   */
  badAnswersMax: 720,
  /** Pause between two checks of a calling account for reports that another process left, ms. */
  recheckMs: 30_000,
  /**
   * Longest wait for the log's database, ms. A third of the lease is short enough: a process notices a
   * database failure before another process can lease the lane.
   */
  storeMs: 5_000,
  /** Most accounts whose key is remembered, count: the same as the limit of verified keys. */
  accountsMax: 10_000
}

export type DeliverySettings = Readonly<typeof deliverySettings>
