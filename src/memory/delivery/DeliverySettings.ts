/** Numbers of the delivery to a remote memory. */
export interface DeliverySettings {
  /** Longest that a feedback waits for its writes to arrive, in milliseconds. */
  readonly directMs: number
  /** How often accounts that are due are looked at, in milliseconds. */
  readonly tickMs: number
  /** Accounts delivered for at a time, count. */
  readonly concurrency: number
  /** First pause after a failed delivery, in milliseconds; it doubles with every further one. */
  readonly pauseMs: number
  /** Longest such pause, in milliseconds. */
  readonly pauseMsMax: number
  /**
   * How long a process has a lane that it leased, or a report that it appended, to itself, in milliseconds.
   * It sends in the first half.
   */
  readonly leaseMs: number
  /** Most reports under one lease, count. */
  readonly batchReportsMax: number
  /** Bad answers of a working backend after which a write counts as refused for good, count. */
  readonly badAnswersMax: number
  /** How often an account that calls is looked at for reports that another process left, in milliseconds. */
  readonly recheckMs: number
  /** Longest that the delivery waits for the log's database, in milliseconds. */
  readonly storeMs: number
  /** Most accounts whose key is remembered, count. */
  readonly accountsMax: number
}

export const deliverySettings: DeliverySettings = {
  // As long as a decision's own write may take.
  directMs: 1_000,
  // Short enough that a reader of the lane does not notice, and no work while no account is due.
  tickMs: 250,
  // Enough that one slow account does not hold up the others.
  concurrency: 4,
  // Doubles to the longest within four failures.
  pauseMs: 500,
  // The breaker keeps a dead backend cheap, so the pause need only spare the database.
  pauseMsMax: 5_000,
  // Its half is longer than the longest write, of 5 s; after a crash the lane waits no longer than this.
  leaseMs: 15_000,
  // At four writes of 5 ms each, a second between two looks at the database.
  batchReportsMax: 50,
  // An hour at the longest pause: most backends that fail at everything are back by then, and those that are
  // not open the breaker, so that little of it counts. No lane is held up for longer by what is kept aside.
  badAnswersMax: 720,
  recheckMs: 30_000,
  // A third of the lease: a failure of the database is known before another process can lease the lane.
  storeMs: 5_000,
  // As many as verified keys.
  accountsMax: 10_000
}
