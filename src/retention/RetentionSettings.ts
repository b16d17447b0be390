/** Settings of retention. The default retention periods are in `RetainedTables`. */
export const retentionSettings = {
  /**
   * Maximum age of the newest decision or outcome at which a purge may drop rows, days. After a month without
   * decisions, a wrong clock is more probable than a quiet service. Chosen.
   */
  newestDaysMax: 35,
  /** Time from the service's start to the first sweep, minutes. Chosen. */
  firstSweepMinutes: 60,
  /**
   * Pause between two sweeps, hours. Partitions are created three months ahead, so no month is missed.
   * Chosen.
   */
  sweepHours: 6,
  /** Number of rows that one transaction deletes, which takes some tens of milliseconds. Chosen. */
  batchRows: 5_000,
  /**
   * Maximum time that a purge waits for readers of a month before it drops the month, ms. If the wait fails,
   * the next sweep tries again. Chosen.
   */
  lockMs: 2_000
} as const
