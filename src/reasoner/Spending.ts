/** What each account spends on the reasoner in a day, and its limit. */
import type { AccountId } from "../domain/Scope.ts"
import { dayMs } from "../domain/Time.ts"

export interface Spending {
  /**
   * Reserves an estimate, in USD. Yields the function that replaces it with the true cost, to be called
   * once; null when the account's limit of the day has no room for it.
   */
  readonly reserve: (
    accountId: AccountId,
    estimateUsd: number,
    nowMs: number
  ) => ((costUsd: number) => void) | null
  /** Spent and reserved today, in USD. */
  readonly spentUsd: (accountId: AccountId, nowMs: number) => number
}

/**
 * What each account has spent since midnight UTC, in this process; a restart begins at 0. A reserved estimate
 * counts as spent, so that concurrent questions cannot exceed the limit together.
 */
export const makeSpending = (dailyUsdMax: number): Spending => {
  let day = Number.NaN
  let spent = new Map<AccountId, number>()
  const today = (nowMs: number): Map<AccountId, number> => {
    const now = Math.floor(nowMs / dayMs)
    if (now !== day) {
      day = now
      spent = new Map()
    }
    return spent
  }
  return {
    reserve: (accountId, estimateUsd, nowMs) => {
      // Kept by the reservation: a cost booked after midnight counts for the day of its question.
      const own = today(nowMs)
      const before = own.get(accountId) ?? 0
      if (!(before + estimateUsd <= dailyUsdMax)) return null
      own.set(accountId, before + estimateUsd)
      return (costUsd) => {
        own.set(accountId, Math.max(0, (own.get(accountId) ?? 0) - estimateUsd + costUsd))
      }
    },
    spentUsd: (accountId, nowMs) => today(nowMs).get(accountId) ?? 0
  }
}
