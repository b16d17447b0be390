/** Settings of retention. */
export const retentionSettings = {
  /** Days without a decision or outcome after which a purge is refused: the clock may be wrong. Chosen. */
  newestDaysMax: 35,
  /** Time from the service's start to the first sweep, minutes. Chosen. */
  firstSweepMinutes: 60,
  /** Pause between two sweeps, hours. Chosen. */
  sweepHours: 6,
  /** Number of rows that one transaction deletes, which takes some tens of milliseconds. Chosen. */
  batchRows: 5_000,
  /** Maximum wait for readers of a month's partition that is dropped, ms. Chosen. */
  lockMs: 2_000
} as const
