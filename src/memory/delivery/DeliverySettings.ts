/** Limits and pauses for sending reports to a remote memory. */
export const deliverySettings = {
  /**
   * Maximum time that a feedback request waits for its writes, ms: as long as storing a decision may take.
   */
  directMs: 1_000,
  /** Pause between two searches for due accounts, ms. No reader of a lane notices so short a delay. */
  tickMs: 250,
  /** Number of accounts served at once, so that one slow account delays no other account. */
  concurrency: 4,
  /** Pause after the first failure, ms. Each further failure doubles the pause, up to `pauseMsMax`. */
  pauseMs: 500,
  /** Longest pause after a failure, ms. The pause keeps requests from the log's database. */
  pauseMsMax: 5_000,
  /**
   * Time for which a leased lane, or a report just stored, belongs to its process alone, ms. The process
   * sends in the first half, because a single write may take 5 s.
   */
  leaseMs: 15_000,
  /** Maximum number of reports sent under one lease. With four writes of 5 ms each, a lease takes 1 s. */
  batchReportsMax: 50,
  /**
   * Number of bad answers after which a write is given up. With the longest pause, 720 tries take an hour. If
   * a memory fails at every request, the circuit breaker opens, and blocked requests are not counted.
   */
  badAnswersMax: 720,
  /** Pause between two checks of a calling account for reports that another process left, ms. */
  recheckMs: 30_000,
  /** Longest wait for the log's database, ms. A process notices a failure before its lease can end. */
  storeMs: 5_000,
  /** Maximum number of accounts whose key is remembered, which equals the limit of verified keys. */
  accountsMax: 10_000
}

export type DeliverySettings = Readonly<typeof deliverySettings>
