/** Numbers of a backtest. */
export const backtestSettings = {
  /** Most candidates if the command names none, count. The engine's default for a request. Chosen. */
  candidatesMax: 8,
  /** Least rows of a candidate, if the command names none, count. */
  candidateRowsMin: 20,
  /** Most models, and most sliders, that the command may name, count. Chosen. */
  namedMax: 16,
  /** Longest time between a failure and a further attempt with the same text, ms. Chosen. */
  retriedWithinMs: 86_400_000,
  /** Blocks of time for the resampling of rows, count. */
  blocks: 200
} as const
