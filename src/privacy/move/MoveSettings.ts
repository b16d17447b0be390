/** How an account is moved to another cell. */
export const moveSettings = {
  /**
   * How long votes are refused before everything is, ms: longer than a copy of the service takes to learn of
   * it, so that the votes it has accepted are written by then. Those that wait in a queue for longer are
   * refused, and lost where the account has left.
   */
  closingMs: 3_000,
  /** After this time a freeze ends by itself, ms, unless the account has left its cell. */
  freezeMs: 10_000,
  /** Pause between two looks for decisions that the old cell still writes, ms. */
  drainPauseMs: 100,
  /** How long the balancer may hold a request for a cell, ms: its queue's 5 s, and 1 s to connect. */
  balancerHoldMs: 6_000,
  /** When it is said that the old cell still writes decisions, ms, and how often. */
  drainSaidAfterMs: 30_000,
  drainSaidEveryMs: 10_000,
  /** When the move stops, since requests still reach the old cell, ms. */
  drainMaxMs: 120_000,
  /** How long before the freeze the transactions may have begun whose decisions no copy has seen, ms. */
  lateMs: 60_000,
  /** How old decisions may be that are looked for while the account arrives, ms; --confirm looks for all. */
  lateAgeMs: 86_400_000,
  /** Rows that are fetched and written at once, count. */
  batchRows: 500,
  /** Groups of rows, by their hash, of which only those that differ are compared row by row; count. */
  groups: 4_096,
  /** Rows of a table that is summed during the freeze, at most, count; those of a larger one are counted. */
  summedRowsMax: 50_000,
  /** Times that a copy is compared and mended before the move gives up, count: another writes to it. */
  attemptsMax: 5
} as const
