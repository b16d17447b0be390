import type { AccountId } from "../domain/Scope.ts"
import { dayMs } from "../domain/Time.ts"

export interface Spending {
  /**
   * Sets an estimate aside, in USD. Null when the account's day has no room for it; else what books the true
   * cost in its place, once.
   */
  readonly reserve: (
    accountId: AccountId,
    estimateUsd: number,
    nowMs: number
  ) => ((costUsd: number) => void) | null
  /** Spent and set aside today, in USD. */
  readonly spentUsd: (accountId: AccountId, nowMs: number) => number
}

/**
 * What each account has spent since midnight UTC, in this process: a restart begins anew. What is set aside
 * counts as spent, so questions asked together cannot overdraw together.
 */
export const makeSpending = (dailyBudgetUsd: number): Spending => {
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
      // Kept by the reservation: what is booked after midnight belongs to the day that asked.
      const own = today(nowMs)
      const before = own.get(accountId) ?? 0
      if (!(before + estimateUsd <= dailyBudgetUsd)) return null
      own.set(accountId, before + estimateUsd)
      return (costUsd) => {
        own.set(accountId, Math.max(0, (own.get(accountId) ?? 0) - estimateUsd + costUsd))
      }
    },
    spentUsd: (accountId, nowMs) => today(nowMs).get(accountId) ?? 0
  }
}
