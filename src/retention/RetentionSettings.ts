/** Settings of retention, except how long decisions are kept (`RetainedTables`). */
export const retentionSettings = {
  /**
   * Largest age of the newest decision or outcome at which anything is dropped, days. A month without one is
   * more probably a wrong clock than a quiet service. Chosen.
   */
  newestDaysMax: 35,
  /** How long a service runs before its own first sweep, minutes. Chosen. */
  firstSweepMinutes: 60,
  /** Pause between two sweeps, hours; three months are made ahead, so none is missed. Chosen. */
  sweepHours: 6,
  /** Rows deleted in one transaction, count: some tens of milliseconds. Chosen. */
  batchRows: 5_000,
  /** Longest that dropping a month waits for reports that read it, ms; then the next sweep tries. Chosen. */
  lockMs: 2_000
} as const
