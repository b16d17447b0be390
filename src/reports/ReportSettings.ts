/** Settings of reports: how they read the ledger, what they show, and how long they are cached. */
export const reportSettings = {
  /**
   * Connections of reports to PostgreSQL, count. The dashboard requests four reports at once, and
   * recommendations must never queue behind them.
   */
  connections: 2,
  /** Longest time of one statement of a report, ms. Ten times the time for a quarter of a million rows. */
  statementMs: 5_000,
  /** Longest time of reading the rows of a month's statement, ms. The user of a command can wait. Chosen. */
  statedRowsMs: 120_000,
  /** Longest wait of a report for its connection and its answer, ms. The time of two statements. */
  reportMs: 10_000,
  /**
   * Most named groups of savings, and most lanes in shadow, count. Each request may bring a new lane, model,
   * user or tag. Chosen.
   */
  groupsMax: 100,
  /** Groups of savings whose quality is estimated, count: the largest bills, as many as the page shows. */
  comparedGroupsMax: 6,
  /** Verdicts that are enough for a lane, count: as many as a comparison takes. Chosen. */
  verdictsEnough: 30,
  /** Share of a lane's decisions with a verdict that is enough, if more than `verdictsEnough`. Chosen. */
  verdictShareEnough: 0.05,
  /**
   * Weight of a model's prior, which is the success of all models on the kind of task, in verdicts. As large
   * as the engine's `priorStrengthImputed`.
   */
  kindPriorVerdicts: 10,
  /** Least verdicts of a rival of the usual model, count. Chosen. */
  rivalVerdictsMin: 3,
  /** Least checked verdicts of a source whose success is corrected, count (issue 32). */
  checkedEnough: 30,
  /** Most lanes whose verdicts are shown, count. Chosen. */
  coveredLanesMax: 50,
  /** Most declared baselines that are named, count. Chosen. */
  baselinesMax: 3,
  /** Models whose spending by day is shown, count: those that cost most, as many as colours distinguish. */
  spendModelsMax: 7,
  /** Newest reported calls whose latencies and failures are read, count; reading takes some 20 ms. Chosen. */
  timedCallsMax: 5_000,
  /** Most models whose latencies are shown, count. The most frequent are shown. Chosen. */
  timedModelsMax: 50,
  /** Time after its newest recommendation at which an unfinished task counts as abandoned, ms. Chosen. */
  taskOpenMs: 86_400_000,
  /** Memory for sorting and grouping in one statement, kB. It holds 250,000 rows without a temporary file. */
  workMemoryKb: 65_536,
  /** Decisions that are decoded before the event loop runs again, count. They take some milliseconds. */
  turnRows: 8_192,
  /** Trusted outcomes from which a thread estimates policies, count. Fewer take some 20 ms. */
  threadRowsMin: 8_192,
  /** Time that a report is cached, as a multiple of the time that making it took. Chosen. */
  cacheFactor: 20,
  /** Longest time that a report is cached, ms. Readers of a dashboard accept this age as current. */
  cacheMsMax: 30_000,
  /**
   * Decisions from which a report stays cached when its account writes, count. A smaller report is made again
   * after a write, so that a new user sees an outcome at once. The bound is a size, because a bound on time
   * would not hold on a slow machine.
   */
  largeRows: 20_000,
  /** Most reports in a cache, count. A report takes some kilobytes. */
  cacheEntriesMax: 500
} as const
