/** Settings of retention. The retention periods themselves are in `RetainedTables`. */
export const retentionSettings = {
  /**
   * Largest age of the newest decision or outcome at which a purge may drop rows, days. A month without any
   * is more probably a wrong clock than a quiet service. Chosen.
   */
  newestDaysMax: 35,
  /** Time from a service's start to its first sweep, minutes. Chosen. */
  firstSweepMinutes: 60,
  /** Pause between two sweeps, hours. Three months are made ahead, so no month is missed. Chosen. */
  sweepHours: 6,
  /** Rows deleted in one transaction, count; deleting them takes some tens of milliseconds. Chosen. */
  batchRows: 5_000,
  /** Longest wait for readers of a month before it is dropped, ms. The next sweep tries again. Chosen. */
  lockMs: 2_000
} as const
