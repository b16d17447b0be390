/* Numbers of the free text that accounts keep. */
export const textSettings = {
  /** Longest that an account's own setting is waited for, ms; then no word is kept. Chosen. */
  settingMs: 2_000,
  /** Decisions that lose their words in one transaction, count. */
  emptiedRows: 200
} as const
