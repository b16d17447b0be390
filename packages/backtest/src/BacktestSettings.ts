/** Numbers of a backtest. */
export const backtestSettings = {
  /** Maximum number of candidates if none are named, as the engine's default. Chosen. */
  candidatesMax: 8,
  /** Minimum number of rows of a candidate if none are named. */
  candidateRowsMin: 20,
  /** Maximum number of models, and of sliders, that the command may name. Chosen. */
  namedMax: 16,
  /** Maximum time between a failure and a further attempt with the same text, ms. Chosen. */
  retriedWithinMs: 86_400_000,
  /** Blocks of time for the resampling of rows, count. */
  blocks: 200
} as const
