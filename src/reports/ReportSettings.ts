/** Settings of reports: how they read the ledger, what they show, and how long they are cached. */
export const reportSettings = {
  /** Number of connections of the reports' own pool, so that reports take none from recommendations. */
  connections: 2,
  /** Maximum time of one statement of a report, ms. */
  statementMs: 5_000,
  /** Maximum time of a read for a monthly statement, ms: the user of `sextant statement` can wait. Chosen. */
  statedRowsMs: 120_000,
  /** Maximum time that a read waits for its connection and answer, ms: twice `statementMs`. */
  reportMs: 10_000,
  /** Maximum number of lanes, models, users or tags with savings of their own. Chosen. */
  groupsMax: 100,
  /** Maximum number of groups of savings whose quality is estimated. */
  comparedGroupsMax: 6,
  /** Number of verdicts that is enough for a small lane. Chosen. */
  verdictsEnough: 30,
  /** Share of a lane's decisions that need a verdict, if their number exceeds `verdictsEnough`. Chosen. */
  verdictShareEnough: 0.05,
  /** Weight of a model's prior in verdicts, as large as the engine's `priorStrengthImputed`. */
  kindPriorVerdicts: 10,
  /** Minimum number of verdicts of a rival of the usual model. Chosen. */
  rivalVerdictsMin: 3,
  /** Minimum number of checked verdicts from which a source's success is corrected (issue 32). */
  checkedEnough: 30,
  /** Maximum number of lanes whose verdicts are shown. Chosen. */
  coveredLanesMax: 50,
  /** Maximum number of declared baselines that the dashboard names. Chosen. */
  baselinesMax: 3,
  /** Maximum number of models whose spending by day is shown; the others are added together. */
  spendModelsMax: 7,
  /** Maximum number of the newest reported calls whose latencies are read. Chosen. */
  timedCallsMax: 5_000,
  /** Maximum number of models whose latencies are shown. Chosen. */
  timedModelsMax: 50,
  /** Time after its newest recommendation at which an unfinished task is treated as abandoned, ms. Chosen. */
  taskOpenMs: 86_400_000,
  /** PostgreSQL's `work_mem` for a statement of a report, kB. */
  workMemoryKb: 65_536,
  /** Number of decisions after which decoding lets the event loop run. */
  turnRows: 8_192,
  /** Minimum number of trusted outcomes for which a worker thread estimates policies. */
  threadRowsMin: 8_192,
  /** Time for which a report is cached, as a multiple of the time that it took to make. Chosen. */
  cacheFactor: 20,
  /** Maximum time for which a report is cached, ms. Chosen. */
  cacheMsMax: 30_000,
  /**
   * Number of decisions from which a report stays cached when its account writes; smaller reports are made
   * again, so that a new user sees an outcome at once.
   */
  largeRows: 20_000,
  /** Maximum number of reports in a cache. */
  cacheEntriesMax: 500
} as const
