/** Numbers of a backtest. */
export const backtestSettings = {
  /** Most candidates where the command names none, count: the models of the log with most rows. The engine's
   * default for a request. Chosen. */
  candidatesMax: 8,
  /** Most candidates that the command may name, count: a prediction of each is made for each row. Chosen. */
  namedCandidatesMax: 16,
  /** Rows from which a model of the log is a candidate by itself, count. With fewer nothing is judged. */
  candidateRowsMin: 20,
  /** Names of models that are counted one by one, count; further ones are counted together. Chosen. */
  namesMax: 10_000,
  /** Most sliders, and most values of success, count. Chosen. */
  slidersMax: 11,
  /** Values of success that are judged where the command names none, USD. Chosen. */
  valuesUsd: [0.01, 0.03, 0.1, 0.3, 1, 10],

  /** Texts that a thread reads at once, count; and batches of them that wait, count for each thread. */
  batchTexts: 256,
  batchesWaiting: 3,
  /** Most threads that read texts, count: one already keeps up with the reading of a file. */
  threadsMax: 3,

  /** Bytes of rows that are sorted in memory at once. */
  runBytes: 8 * 2 ** 20,
  /** Bytes that are read of a sorted run at once. */
  pageBytes: 64 * 1_024,
  /** Longest tag, characters, and most tags of a row, count; more are left out. */
  tagChars: 256,
  tagsMax: 64,
  /** Rows of one moment among which an id that comes again is recognised, count. */
  sameMomentMax: 100_000,

  /** Time after a failure within which the same text tries again, ms; later it is asked anew. Chosen. */
  retriedWithinMs: 86_400_000,
  /** Tasks that may go on and are remembered, count: the one that was idle longest is forgotten first. */
  openTasksMax: 100_000,
  /** Attempts of a task whose verdicts weigh its later ones, count: as many as a request may name. */
  taskVerdictsMax: 16,
  /** Plans that are printed, count: those that the log shows most. Chosen. */
  plansShown: 8,

  /** Blocks of time that the rows are judged in, count. */
  blocks: 200,
  /** Least rows of a block, count. */
  blockRowsMin: 25,
  /** Times that a lane's sums are aged anew in the course of a log, count, and bounds of the time between two
   * times, ms: with 500 a sum is off by the decay of a five-hundredth of the log. */
  tallyRefreshes: 500,
  tallyRefreshMsMax: 86_400_000,
  /** Longest that rows are replayed without a pause for signals and progress, ms. */
  turnMs: 50
} as const
