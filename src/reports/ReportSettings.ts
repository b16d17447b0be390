/** Settings of reading the ledger for reports. */
export const reportSettings = {
  /**
   * Connections of reports on PostgreSQL, count: a page of the dashboard requests four reports at once, and
   * recommendations must never queue behind them.
   */
  connections: 2,
  /** Longest that one statement of a report may take, ms: ten times what a quarter of a million rows take. */
  statementMs: 5_000,
  /** Longest that reading the rows of a month's statement may take, ms: a command has time. Chosen. */
  statedRowsMs: 120_000,
  /** Longest that a report waits for its connection and its answer, ms: two statements' time. */
  reportMs: 10_000,
  /**
   * Most groups of savings beside the rest, and most lanes in shadow, count; each request may bring a new
   * lane, model, user or tag. Chosen.
   */
  groupsMax: 100,
  /** Groups whose quality is estimated, those with the largest bills, count: as many as the page shows. */
  comparedGroupsMax: 6,
  /** Verdicts of a lane that are enough, count: as many as a comparison takes. Chosen. */
  verdictsEnough: 30,
  /** Or this share of its decisions where that is more, in [0, 1]: what a sampling judge gives. Chosen. */
  verdictShareEnough: 0.05,
  /** Verdicts that a model's prior, the success of all models on a kind of task, weighs as, count: as many as
   * the engine's `priorStrengthImputed`. */
  kindPriorVerdicts: 10,
  /** Verdicts from which a model counts as a rival of the usual one, count. Chosen. */
  rivalVerdictsMin: 3,
  /** Verdicts of a source that must have been checked before it is corrected, count (issue 32). */
  checkedEnough: 30,
  /** Lanes whose verdicts are shown, count. Chosen. */
  coveredLanesMax: 50,
  /** Declared baselines that are named, count. Chosen. */
  baselinesMax: 3,
  /** Models whose spending by day is shown, those that cost most, count: as many as colours distinguish. */
  spendModelsMax: 7,
  /** Newest reported calls whose latencies and failures are read, count: some 20 ms. Chosen. */
  timedCallsMax: 5_000,
  /** Models whose latencies are shown, the most frequent ones, count. Chosen. */
  timedModelsMax: 50,
  /** How long after its newest recommendation a task without a passed attempt counts as open, ms. Chosen. */
  taskOpenMs: 86_400_000,
  /** Memory for sorting and grouping in one statement, kB: 250,000 rows without a temporary file. */
  workMemoryKb: 65_536,
  /** Decisions that are decoded before the event loop runs again, count: some milliseconds of work. */
  turnRows: 8_192,
  /** Trusted outcomes from which policies are judged in a thread, count: fewer are some 20 ms of work. */
  threadRowsMin: 8_192,
  /** How long a report is answered again, as a multiple of what it cost. Chosen. */
  cacheFactor: 20,
  /** Longest that a report is answered again, ms. Readers of a dashboard accept this age as current. */
  cacheMsMax: 30_000,
  /**
   * A report over fewer decisions is made again after any write of its account in this process, so that a new
   * user sees an outcome just reported; a large account keeps its cache despite its own traffic. The bound is
   * a size and not a duration, so that it holds on a slow machine as well.
   */
  largeRows: 20_000,
  /** Most reports kept, count; each takes some kilobytes. */
  cacheEntriesMax: 500
} as const
