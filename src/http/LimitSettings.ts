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
  /**
   * Requests being answered at once, count. One takes about a millisecond of processor time, so that the last
   * of so many waits about a second. Chosen.
   */
  inFlightMax: 1_000,
  /** Share of them that one account may have, and as much again for its feedback. Chosen. */
  accountShare: 0.25,
  /** Requests at once that even a busy service leaves to every account, count. Chosen. */
  accountMin: 8,
  /**
   * Requests at once that a saturated service shares out among its accounts, count: 64 keep it busy. Chosen.
   */
  sharedOut: 64,
  /** Share of the event loop's time from which on it is saturated. Chosen. */
  saturatedFrom: 0.95,
  /** How often load is looked at, ms. */
  sampleMs: 250,
  /**
   * Share of requests in flight from which on such requests are turned away: reads first, feedback last.
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
  /** What `Retry-After` says to those who are turned away for load, s. */
  retryAfterSeconds: 1,
  /**
   * Longest that a client may take to read an answer after it is complete, ms. As long as for a whole
   * request.
   */
  answerReadMs: 15_000
} as const
