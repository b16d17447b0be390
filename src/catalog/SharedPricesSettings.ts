/** Times and limits of copies that share prices; the refresh decides how often the sources are read. */
export const sharedPricesSettings = {
  /** Pause between two looks at the shared prices, in milliseconds: copies differ for no longer. */
  lookMs: 5_000,
  /** Longest answer of the database, in milliseconds; after that it counts as unavailable. Chosen. */
  answerMs: 2_000,
  /**
   * Lease of a turn, in milliseconds: twice the longest time that all sources together may take.
   */
  leaseMs: 20_000,
  /** Share of the pause after which sources without a usable answer are due again. */
  retryShare: 1 / 6,
  /** How long a copy without shared prices at its start waits before it reads the sources, in ms. */
  graceMs: 60_000,
  /** Pauses without shared prices until a copy reads the sources itself: more than the longest drawn. */
  aloneAfterPauses: 1.2
} as const

export type SharedPricesSettings = { readonly [Key in keyof typeof sharedPricesSettings]: number }
