/* Limits for the task texts that accounts keep. */
export const textSettings = {
  /**
   * Longest wait for an account's setting on stored texts, ms. If the setting does not arrive in time, no
   * text is stored. Chosen.
   */
  settingMs: 2_000,
  /** Maximum number of decisions whose text is removed in one transaction. */
  emptiedRows: 200
} as const
