/* Limits that protect the service from overload, and accounts from one another. */
export const limitSettings = {
  /**
   * Feedbacks per minute and account for each request that `SEXTANT_RATE_LIMIT` allows, factor. Feedback has
   * more, because nothing is learned from a refused one.
   */
  feedbackFactor: 4,
  /** Length of a quota's window, s. */
  windowSeconds: 60,
  /** Accounts whose quota is stored, count; the least recently active one starts anew. Chosen. */
  quotasMax: 10_000,
  /** Length of the window in which an address's failed keys are counted, s. */
  failedKeysWindowSeconds: 60,
  /** Failed keys per minute after which an address is blocked, count, unless configured. Chosen. */
  failedKeysPerMinute: 600,
  /** Addresses whose failed keys are counted, and as many that are blocked, count: about 2 MB. Chosen. */
  placesMax: 10_000,
  /** Size of a body that counts as one unit of work, bytes: it takes about a millisecond. Chosen. */
  unitBytes: 100_000,
  /**
   * Units that an uncached load, such as a lane or its numbers, adds to its account's share: about the
   * processor time of a recommendation. Measured.
   */
  coldLoadUnits: 1,
  /**
   * Most work that waits or runs at once, units. A unit takes one to three milliseconds of processor time, so
   * that the last unit waits a few seconds. Chosen.
   */
  inFlightMax: 1_000,
  /** Share of that work for one account, and as much again for its feedback, in (0, 1]. Chosen. */
  accountShare: 0.25,
  /** Work that every account may have when its share is smaller, units. Chosen. */
  accountMin: 8,
  /**
   * Requests and workflow steps that a saturated process runs at once, count; the others wait. Each one that
   * runs delays the next; together they share the caches of the processor and the groups of the database.
   * With 8 a feedback took a quarter more processor time. Measured.
   */
  turnsAtOnce: 16,
  /**
   * Requests and steps that a process runs at once which is not saturated, count. The number doubles with
   * every sample that finds requests waiting and idle time, as when all wait for a slow reasoner. Chosen.
   */
  turnsAtFirst: 64,
  /** Share of a core, or of the event loop, from which a process is saturated. Chosen. */
  saturatedFrom: 0.85,
  /** Mean delay of the event loop from which the process is saturated as well, ms. Chosen. */
  saturatedFromMs: 20,
  /**
   * Longest wait of a request of the account from which further requests of a purpose are refused, ms: reads
   * first. Feedback waits without such a limit. Chosen; our clients themselves wait 400 ms by default.
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
   * Share of the heap's limit for the raw bodies of requests in flight, in (0, 1): decoded, parsed and
   * classified, each takes several times its size. Chosen.
   */
  bodiesShare: 0.1,
  /** Share of that room that is reserved for bodies of feedback, in [0, 1). Chosen. */
  feedbackBodiesShare: 0.15,
  /** `Retry-After` of requests that are refused for load, s. */
  retryAfterSeconds: 1,
  /**
   * Longest time that a client may take to read a complete answer, ms: as long as for sending a request.
   */
  answerReadMs: 15_000
} as const
