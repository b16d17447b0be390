/* Limits that protect the service from overload, and accounts from each other. */
export const limitSettings = {
  /**
   * Quota of feedback, as a multiple of `SEXTANT_RATE_LIMIT`. The quota of feedback is larger, because
   * Sextant learns nothing from refused feedback.
   */
  feedbackFactor: 4,
  /** Length of a quota's window, s. */
  windowSeconds: 60,
  /**
   * Maximum number of accounts whose quota is stored. Beyond this number, the account that was inactive
   * longest starts with a full quota. Chosen.
   */
  quotasMax: 10_000,
  /** Length of the window in which the failed keys of an address are counted, s. */
  failedKeysWindowSeconds: 60,
  /** Default number of failed keys per minute after which an address is blocked. Chosen. */
  failedKeysPerMinute: 600,
  /**
   * Maximum number of addresses whose failed keys are counted, and of blocked addresses. Both take about 2
   * MB. Chosen.
   */
  placesMax: 10_000,
  /** Bytes of a body that are charged as one unit of work, because they take about a millisecond. Chosen. */
  unitBytes: 100_000,
  /**
   * Units that loading uncached data, such as a lane, adds to its account's work. Loading a lane takes about
   * as much processor time as a recommendation. The number was measured.
   */
  coldLoadUnits: 1,
  /**
   * Maximum work that waits or runs at once, units. A unit takes 1 to 3 ms of processor time, so the last
   * unit waits a few seconds. Chosen.
   */
  inFlightMax: 1_000,
  /**
   * Share of `inFlightMax` that one account may use, in (0, 1]. Its feedback may use the same share again.
   * Chosen.
   */
  accountShare: 0.25,
  /** Work that every account may have in flight, even if its share is smaller, units. Chosen. */
  accountMin: 8,
  /**
   * Number of requests and workflow steps that a saturated process runs at once. More concurrent requests
   * would delay each other. Fewer share less of the processor's caches and the database's groups. With 8, a
   * feedback took a quarter more processor time. Measured.
   */
  turnsAtOnce: 16,
  /**
   * Initial number of requests and steps that a process runs at once while it is not saturated. The number
   * doubles with every sample that finds both waiting requests and idle time, as behind a slow reasoner.
   * Chosen.
   */
  turnsAtFirst: 64,
  /** Share of a core, or of the event loop's time, from which the process is treated as saturated. Chosen. */
  saturatedFrom: 0.85,
  /** Mean delay of the event loop from which the process is treated as saturated, ms. Chosen. */
  saturatedFromMs: 20,
  /**
   * If the account's oldest request has waited this long, further requests of a purpose are refused, ms.
   * Feedback is never refused because of waiting. Sextant's clients give up after 400 ms by default, and
   * their request then leaves the queue. The limits are longer for callers that wait longer. Chosen.
   */
  waitMsMax: { read: 1_000, recommend: 2_000, feedback: Infinity },
  /** Resolution with which the delay of the event loop is measured, ms. */
  delayResolutionMs: 20,
  /** Pause between two samples of the load, ms. */
  sampleMs: 250,
  /**
   * Share of `inFlightMax` from which requests of a purpose are refused, in (0, 1]. Reads are refused first,
   * feedback last. Chosen.
   */
  fullFrom: { read: 0.6, recommend: 0.85, feedback: 1 },
  /**
   * Used share of the heap's limit, buffers included, from which requests of a purpose are refused, in (0,
   * 1). Above a share of about 0.9, Node spends most of its time in garbage collection. At the limit, Node
   * ends the process. Chosen.
   */
  heapFullFrom: { read: 0.8, recommend: 0.87, feedback: 0.93 },
  /**
   * Share of the heap's limit that the raw bodies of requests in flight may take, in (0, 1). A parsed body
   * takes several times its raw size. Chosen.
   */
  bodiesShare: 0.1,
  /** Share of the memory for bodies that is reserved for feedback, in [0, 1). Chosen. */
  feedbackBodiesShare: 0.15,
  /** `Retry-After` of requests that are refused because of load, s. */
  retryAfterSeconds: 1,
  /**
   * Maximum time in which a client must read a whole answer, ms. The time for reading an answer is as long as
   * the time for sending a request.
   */
  answerReadMs: 15_000
} as const
