/* Limits for the task texts that accounts keep. */
export const textSettings = {
  /** Longest wait for an account's setting, ms. If the setting does not come, no text is kept. Chosen. */
  settingMs: 2_000,
  /** Decisions whose text is removed in one transaction, count. */
  emptiedRows: 200
} as const
