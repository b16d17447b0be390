/* Numbers of the free text that accounts keep. */
export const textSettings = {
  /**
   * Most free text that is kept of one account, bytes: excerpts of a quarter of a million long tasks. Chosen;
   * `SEXTANT_ACCOUNT_BYTES`.
   */
  accountBytes: 1_000_000_000,
  /** Longest that an account's own setting is waited for, ms; then no word is kept. Chosen. */
  settingMs: 2_000,
  /** How often a process looks after the texts of the accounts that it has written for. Chosen. */
  every: "1 minute",
  /** How long after it was written a text is counted: its transaction has ended by then. Chosen. */
  settledSeconds: 60,
  /** Decisions whose texts are counted in one transaction, count: some tens of milliseconds. */
  countedRows: 2_000,
  /** Such transactions of one account in one look, count: an old ledger is counted over several. */
  countedSteps: 100,
  /** Rows that lose their text in one transaction, count. */
  trimmedRows: 200,
  /**
   * Largest part of the quota that is kept or goes as one, share: what an account keeps may be less than its
   * quota by as much. Rows of the account's sums stay below its inverse.
   */
  bucketShare: 1 / 200,
  /** Every how many looks all known accounts have their turn, not only those lately written for, count. */
  knownEvery: 10
} as const
