/** Settings of retention. */
export const retentionSettings = {
  /** Days without a decision or outcome after which a purge is refused: the clock may be wrong. Chosen. */
  newestDaysMax: 35,
  /** Time from the service's start to the first sweep, minutes. Chosen. */
  firstSweepMinutes: 60,
  /** Pause between two sweeps, hours. Chosen. */
  sweepHours: 6,
  /** Maximum number of rows that one transaction deletes. Chosen. */
  batchRows: 5_000,
  /** Maximum wait for a lock, such as that of readers of a dropped partition, ms. Chosen. */
  lockMs: 2_000
} as const
