/* Limits that protect the service from overload, and accounts from each other. */
export const limitSettings = {
  /** Quota of feedback as a multiple of the rate limit; large, as refused feedback teaches nothing. */
  feedbackFactor: 4,
  /** Length of a quota's window, s. */
  windowSeconds: 60,
  /** Maximum number of accounts with a stored quota; the longest inactive one is dropped first. Chosen. */
  quotasMax: 10_000,
  /** Length of the window in which the failed keys of an address are counted, s. */
  failedKeysWindowSeconds: 60,
  /** Default number of failed keys per minute after which an address is blocked. Chosen. */
  failedKeysPerMinute: 600,
  /** Maximum number of addresses with counted failed keys, and also of blocked addresses. Chosen. */
  placesMax: 10_000,
  /** Bytes of a body that are charged as one more unit of work. Chosen. */
  unitBytes: 100_000,
  /** Units of work that a cold load, such as reading a lane, adds. Measured. */
  coldLoadUnits: 1,
  /** Maximum work in flight of all accounts together, units. Chosen. */
  inFlightMax: 1_000,
  /** Maximum share of `inFlightMax` for an account's feedback, and also for its other requests. Chosen. */
  accountShare: 0.25,
  /** Work that an account may have in flight even if its share is smaller, units. Chosen. */
  accountMin: 8,
  /** Number of requests and steps of workflows that a saturated process runs at once. Measured. */
  turnsAtOnce: 16,
  /**
   * Initial number of requests and steps of workflows that run at once. If requests wait while the process
   * is not saturated, twice as many may run after each measurement of the load. Chosen.
   */
  turnsAtFirst: 64,
  /** Share of a core, or of the event loop's time, from which the process is treated as saturated. Chosen. */
  saturatedFrom: 0.85,
  /** Mean delay of the event loop from which the process is treated as saturated, ms. Chosen. */
  saturatedFromMs: 20,
  /**
   * Longest wait, ms: if the account's oldest waiting request has waited this long, further ones are refused.
   * Feedback is accepted however long a request has waited. Chosen.
   */
  waitMsMax: { read: 1_000, recommend: 2_000, feedback: Infinity },
  /** Resolution with which the delay of the event loop is measured, ms. */
  delayResolutionMs: 20,
  /** Pause between two samples of the load, ms. */
  sampleMs: 250,
  /** Share of `inFlightMax` from which a purpose is refused, in (0, 1]. Reads go first. Chosen. */
  fullFrom: { read: 0.6, recommend: 0.85, feedback: 1 },
  /** Used share of the heap from which requests of a purpose are refused, in (0, 1). Chosen. */
  heapFullFrom: { read: 0.8, recommend: 0.87, feedback: 0.93 },
  /** Maximum share of the heap for raw bodies of requests, in (0, 1). Chosen. */
  bodiesShare: 0.1,
  /** Share of the memory for requests' bodies that only feedback may use, in [0, 1). Chosen. */
  feedbackBodiesShare: 0.15,
  /** `Retry-After` of a request that is refused because too much work is in flight, s. */
  retryAfterSeconds: 1,
  /** Maximum time in which a client must read its answer, ms. Chosen. */
  answerReadMs: 15_000
} as const
