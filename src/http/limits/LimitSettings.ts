/* Limits that protect the service from overload, and accounts from one another. */
export const limitSettings = {
  /**
   * Quota of feedback as a multiple of `SEXTANT_RATE_LIMIT`. The quota is larger, because Sextant learns
   * nothing from a refused feedback.
   */
  feedbackFactor: 4,
  /** Length of a quota's window, s. */
  windowSeconds: 60,
  /** Most accounts whose quota is stored. Beyond it, the least recently active one starts anew. Chosen. */
  quotasMax: 10_000,
  /** Length of the window in which the failed keys of an address are counted, s. */
  failedKeysWindowSeconds: 60,
  /** Failed keys per minute after which an address is blocked, by default. Chosen. */
  failedKeysPerMinute: 600,
  /** Most addresses whose failed keys are counted, and most blocked ones: about 2 MB. Chosen. */
  placesMax: 10_000,
  /** Bytes of a body that count as one unit of work, because they take about a millisecond. Chosen. */
  unitBytes: 100_000,
  /**
   * Units that a load of uncached data, such as a lane, adds to its account's work. The load takes about the
   * processor time of a recommendation. Measured.
   */
  coldLoadUnits: 1,
  /**
   * Most work that waits or runs at once, units. A unit takes 1 to 3 ms of processor time, so the last unit
   * waits a few seconds. Chosen.
   */
  inFlightMax: 1_000,
  /** Share of `inFlightMax` for one account, and as much again for its feedback, in (0, 1]. Chosen. */
  accountShare: 0.25,
  /** Least work that an account may have in flight, even if its share is smaller, units. Chosen. */
  accountMin: 8,
  /**
   * Requests and workflow steps that a saturated process runs at once. More of them delay each other. Fewer
   * share less of the processor's caches and of the database's groups: with 8, a feedback took a quarter more
   * processor time. Measured.
   */
  turnsAtOnce: 16,
  /**
   * Requests and steps that a process runs at once while it is not saturated. The number doubles with every
   * sample that finds waiting requests and idle time, for example behind a slow reasoner. Chosen.
   */
  turnsAtFirst: 64,
  /** Share of a core, or of the event loop's time, from which the process is saturated. Chosen. */
  saturatedFrom: 0.85,
  /** Mean delay of the event loop from which the process is saturated, too, ms. Chosen. */
  saturatedFromMs: 20,
  /**
   * Wait of the account's oldest request from which further requests of a purpose are refused, ms. Feedback
   * has no such limit. Our clients give up after 400 ms by default, and their request then leaves the queue.
   * A longer limit is therefore for callers that wait longer. Chosen.
   */
  waitMsMax: { read: 1_000, recommend: 2_000, feedback: Infinity },
  /** Resolution of the measured delay of the event loop, ms. */
  delayResolutionMs: 20,
  /** Pause between two samples of the load, ms. */
  sampleMs: 250,
  /**
   * Share of `inFlightMax` from which requests of a purpose are refused, in (0, 1]: reads first, feedback
   * last. Chosen.
   */
  fullFrom: { read: 0.6, recommend: 0.85, feedback: 1 },
  /**
   * Share of the heap's limit, buffers included, from which requests of a purpose are refused, in (0, 1).
   * Node spends most time in garbage collection above about 0.9, and ends the process at the limit. Chosen.
   */
  heapFullFrom: { read: 0.8, recommend: 0.87, feedback: 0.93 },
  /**
   * Share of the heap's limit for the raw bodies of requests in flight, in (0, 1). A parsed body takes
   * several times its size. Chosen.
   */
  bodiesShare: 0.1,
  /** Share of the room for bodies that is reserved for feedback, in [0, 1). Chosen. */
  feedbackBodiesShare: 0.15,
  /** `Retry-After` of requests that are refused for load, s. */
  retryAfterSeconds: 1,
  /** Longest time in which a client must read a whole answer, ms: as long as for sending a request. */
  answerReadMs: 15_000
} as const
