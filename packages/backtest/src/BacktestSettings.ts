/** Numbers of a backtest. */
export const backtestSettings = {
  /** Maximum number of candidates if the command names none. Chosen. */
  candidatesMax: 8,
  /** Minimum rows of a candidate if the command names no model; ignored if every model has fewer rows. */
  candidateRowsMin: 20,
  /** Maximum number of models, and of sliders, that the command may name. Chosen. */
  namedMax: 16,
  /** Maximum time between a failure and a further attempt with the same text, ms. Chosen. */
  retriedWithinMs: 86_400_000,
  /** Maximum number of time blocks into which the rows are divided for resampling. */
  blocks: 200
} as const
