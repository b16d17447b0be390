/** Numbers of the delivery to a remote memory. */
export const deliverySettings = {
  /** Longest that a feedback waits for its writes to arrive, ms: as long as a decision's write may take. */
  directMs: 1_000,
  /**
   * How often accounts that are due are looked at, ms. Short enough that a reader of the lane does not
   * notice, and no work while no account is due.
   */
  tickMs: 250,
  /** Accounts delivered for at a time, count. Enough that one slow account does not hold up the others. */
  concurrency: 4,
  /** First pause after a failed delivery, ms; it doubles to the longest within four failures. */
  pauseMs: 500,
  /** Longest such pause, ms. The breaker keeps a dead backend cheap, so it need only spare the database. */
  pauseMsMax: 5_000,
  /**
   * How long a process has a lane that it leased, or a report that it appended, to itself, ms. It sends in
   * the first half, which is longer than the longest write, of 5 s; after a crash the lane waits no longer.
   */
  leaseMs: 15_000,
  /** Most reports under one lease: at four writes of 5 ms each, a second between two looks. */
  batchReportsMax: 50,
  /**
   * Bad answers of a working backend after which a write counts as refused for good, count. An hour at the
   * longest pause: most backends that fail at everything are back by then, and those that are not open the
   * breaker, so that little of it counts. No lane is held up for longer by what is kept aside.
   */
  badAnswersMax: 720,
  /** How often an account that calls is looked at for reports that another process left, ms. */
  recheckMs: 30_000,
  /**
   * Longest that the delivery waits for the log's database, ms. A third of the lease: a failure of the
   * database is known before another process can lease the lane.
   */
  storeMs: 5_000,
  /** Most accounts whose key is remembered, count: as many as verified keys. */
  accountsMax: 10_000
}

export type DeliverySettings = Readonly<typeof deliverySettings>
