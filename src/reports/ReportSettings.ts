/** Numbers of reading the ledger for reports. */
export const reportSettings = {
  /**
   * Connections that reports have to themselves on PostgreSQL, count: a page of the dashboard asks for four
   * reports at once, and recommendations must never queue behind them.
   */
  connections: 2,
  /** Longest that one statement of a report may take, ms: ten times what a quarter of a million rows take. */
  statementMs: 5_000,
  /** Longest that a report waits for its connection and its answer, ms: two statements' time. */
  patienceMs: 10_000,
  /** Longest that a replica may take to say how far behind it is, ms: else it is out. Chosen. */
  probeMs: 1_000,
  /** How long that is believed, ms. Chosen. */
  probeEveryMs: 1_000,
  /** Furthest that a replica may be behind its primary, ms: what a reader of a dashboard calls now. */
  lagMsMax: 30_000,
  /** Memory for sorting and grouping in one statement, kB: 250,000 rows without a temporary file. */
  workMemoryKb: 65_536,
  /** Decisions that are decoded in one go, count: some milliseconds, after which others have their turn. */
  turnRows: 8_192,
  /** Trusted outcomes from which policies are judged in a thread, count: below, it is some 20 ms of work. */
  threadRowsMin: 8_192,
  /** A report is answered again while it is younger than this many times what it cost. Chosen. */
  cacheFactor: 20,
  /** Longest that a report is answered again, ms: what a reader of a dashboard calls now. */
  cacheMsMax: 30_000,
  /**
   * A report over fewer decisions is made anew after any write of its account in this process: a newcomer
   * sees the outcome just reported, and a large account does not lose its cache to its own traffic. By size,
   * not by time: on a slow machine what was just reported must be seen as well.
   */
  largeRows: 20_000,
  /** Most reports kept, count, each some kilobytes. */
  cacheEntriesMax: 500
} as const
