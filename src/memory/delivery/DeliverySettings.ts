/** Limits and pauses for sending reports to a remote memory. */
export const deliverySettings = {
  /**
   * Maximum time that a feedback request waits for its writes, ms: as long as storing a decision may take.
   */
  directMs: 1_000,
  /** Pause between two searches for due accounts, ms. */
  tickMs: 250,
  /** Number of accounts whose waiting reports are sent at the same time. */
  concurrency: 4,
  /** Pause after a write's first failure, ms. Further failures double the pause, up to `pauseMsMax`. */
  pauseMs: 500,
  /** Longest pause after a failure, ms. */
  pauseMsMax: 5_000,
  /**
   * Time for which a leased lane, or a report just stored, belongs to its process alone, ms. The process
   * sends during the first half of a lease, and then stores what was sent.
   */
  leaseMs: 15_000,
  /** Maximum number of reports sent under one lease. With four writes of 5 ms each, 50 reports take 1 s. */
  batchReportsMax: 50,
  /**
   * Number of bad answers after which a write is given up. With pauses of 5 s, 720 tries take an hour.
   * Requests that the circuit breaker blocks are no bad answers.
   */
  badAnswersMax: 720,
  /** Minimum pause between two checks for unsent reports that an account's requests cause, ms. */
  recheckMs: 30_000,
  /** Longest wait for the log's database, ms. A process notices a failure before its lease can end. */
  storeMs: 5_000,
  /** Maximum number of accounts whose key is remembered, which equals the limit of verified keys. */
  accountsMax: 10_000
}

export type DeliverySettings = Readonly<typeof deliverySettings>
