/** Limits and pauses for sending reports to a remote memory. */
export const deliverySettings = {
  /** Time limit for sending a feedback's writes while its request waits, ms. */
  directMs: 1_000,
  /** Pause between two searches for due accounts while none is due, ms. */
  tickMs: 250,
  /** Maximum number of accounts whose waiting reports are sent at the same time. */
  concurrency: 4,
  /** Longest pause after a write's first failure, ms. New failures may double a pause up to `pauseMsMax`. */
  pauseMs: 500,
  /** Longest pause after a failure, ms, unless the memory asks for a longer one. */
  pauseMsMax: 5_000,
  /**
   * Time for which a leased lane, or a report just stored, belongs to its process alone, ms. The process
   * sends during the first half of a lease, and then stores what was sent.
   */
  leaseMs: 15_000,
  /** Maximum number of reports sent under one lease. */
  batchReportsMax: 50,
  /**
   * Number of bad answers after which a write is given up. Requests that the circuit breaker blocks are no
   * bad answers.
   */
  badAnswersMax: 720,
  /** Minimum pause between two checks for unsent reports that an account's requests cause, ms. */
  recheckMs: 30_000,
  /** Longest wait for the log's database, ms. */
  storeMs: 5_000,
  /** Maximum number of accounts whose API key is remembered. */
  accountsMax: 10_000
}

export type DeliverySettings = Readonly<typeof deliverySettings>
