/** Numbers by which the service protects itself and its accounts from one another. */
export const limitSettings = {
  /**
   * Feedbacks per minute and account, for each request that `SEXTANT_RATE_LIMIT` allows: lost ones teach
   * nothing.
   */
  feedbackFactor: 4,
  /** Length of a quota's window, s. */
  windowSeconds: 60,
  /** Accounts whose quota is remembered, count; the one that is longest silent starts afresh. Chosen. */
  quotasMax: 10_000,
  /** Length of the window in which an address's failed keys are counted, s. */
  failedKeysWindowSeconds: 60,
  /** Failed keys a minute from one address before it has to wait, unless configured otherwise. Chosen. */
  failedKeysPerMinute: 600,
  /** Addresses whose failed keys are counted, and as many that have to wait, count: about 2 MB. Chosen. */
  placesMax: 10_000,
  /** Bytes of a body that weigh as much as a recommendation: each takes about a millisecond. Chosen. */
  unitBytes: 100_000,
  /**
   * Work that is waiting or being done at once, units. One takes one to three milliseconds of processor time,
   * so that the last of so many waits a few seconds. Chosen.
   */
  inFlightMax: 1_000,
  /** Share of it that one account may have, and as much again for its feedback. Chosen. */
  accountShare: 0.25,
  /** Work that every account may have whatever the share comes to, units. Chosen. */
  accountMin: 8,
  /**
   * Requests and workflow steps that a saturated process runs at once, count; the others wait their turn. As
   * few as keep it busy: each that runs is waited for by whatever comes next. Chosen.
   */
  turnsAtOnce: 8,
  /**
   * The same of a process that is not saturated, from the start of a crowd on; twice as many after every
   * sample that finds it with time to spare, as while all wait for a slow reasoner. Chosen.
   */
  turnsAtFirst: 64,
  /** Share of the processor time it may have, or of the event loop, that saturates the process. Chosen. */
  saturatedFrom: 0.85,
  /** Mean delay of the event loop from which on the process is saturated as well, ms. Chosen. */
  saturatedFromMs: 20,
  /**
   * Longest that an account's request has waited for its turn, from which on such requests of the account are
   * turned away, ms: reads first. Feedback waits, for as long as there is room. A client's own deadline for a
   * recommendation is 1 s.
   */
  waitMsMax: { read: 1_000, recommend: 2_000, feedback: Infinity },
  /** How finely the delay of the event loop is measured, ms. */
  delayResolutionMs: 20,
  /** After how many samples the processor time available is read again, count: every 5 s. */
  quotaEverySamples: 20,
  /** How often load is looked at, ms. */
  sampleMs: 250,
  /**
   * Share of the work at once from which on such requests are turned away: reads first, feedback last.
   * Chosen.
   */
  fullFrom: { read: 0.6, recommend: 0.85, feedback: 1 },
  /**
   * Share of the heap's limit, buffers included, from which on such requests are turned away. Node collects
   * hard from about nine tenths on, and ends the process at the limit. Chosen.
   */
  heapFullFrom: { read: 0.8, recommend: 0.87, feedback: 0.93 },
  /**
   * Share of the heap's limit for bodies that are read or answered, as they came: decoded, parsed and
   * classified each takes several times its size. Chosen.
   */
  bodiesShare: 0.1,
  /** Share of that room that only bodies of feedback may have. Chosen. */
  feedbackBodiesShare: 0.15,
  /** What `Retry-After` says to those who are turned away for load, s. */
  retryAfterSeconds: 1,
  /**
   * Longest that a client may take to read an answer after it is complete, ms. As long as for a whole
   * request.
   */
  answerReadMs: 15_000
} as const
