/** Numbers of copies that share prices; how often the sources are read is the refresh's own. */
export const sharedPricesSettings = {
  /** Pause between two looks at the shared prices, ms: copies differ for no longer. As account settings. */
  lookMs: 5_000,
  /** Longest that the database may take to answer, ms; then it counts as out. Chosen. */
  answerMs: 2_000,
  /**
   * How long a turn is kept for the copy that took it, ms: twice what the sources together may take.
   */
  leaseMs: 20_000,
  /** Share of the pause after which sources that gave nothing usable are read again, by who looks first. */
  retryShare: 1 / 6,
  /** How long a copy that cannot ask for shared prices at its start waits before it reads its own, ms. */
  graceMs: 60_000,
  /** Pauses without a word of shared prices until a copy reads its own: past the longest that is drawn. */
  aloneAfterPauses: 1.2
} as const

export type SharedPricesSettings = { readonly [Key in keyof typeof sharedPricesSettings]: number }
