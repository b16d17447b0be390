/** Numbers of a backtest. */
export const backtestSettings = {
  /** Most candidates where the command names none, count: the models of the log with most rows. The engine's
   * default for a request. Chosen. */
  candidatesMax: 8,
  /** Rows from which a model of the log is a candidate by itself, count. With fewer nothing is judged. */
  candidateRowsMin: 20,
  /** Most models and sliders that the command may name, each, count. Chosen. */
  namedMax: 16,
  /** Time after a failure within which the same text tries again, ms; later it is asked anew. Chosen. */
  retriedWithinMs: 86_400_000,
  /** Blocks of time that the rows are judged in, count. */
  blocks: 200
} as const
