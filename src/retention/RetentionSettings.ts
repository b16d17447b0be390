/** Settings of retention. */
export const retentionSettings = {
  /**
   * Maximum age of the newest decision or outcome at a purge, days. After a month without decisions, a wrong
   * clock is more probable than a quiet service. Chosen.
   */
  newestDaysMax: 35,
  /** Time from the service's start to the first sweep, minutes. Chosen. */
  firstSweepMinutes: 60,
  /** Pause of sweeps, hours. Partitions are made three months ahead, so no month is missed. Chosen. */
  sweepHours: 6,
  /** Number of rows that one transaction deletes, which takes some tens of milliseconds. Chosen. */
  batchRows: 5_000,
  /** Maximum wait for readers of a dropped month, ms. The next sweep tries again. Chosen. */
  lockMs: 2_000
} as const
