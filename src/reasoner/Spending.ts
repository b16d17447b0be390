/** Tracks how much each account spends on the reasoner per day in this process, and applies a limit. */
import type { AccountId } from "../domain/Scope.ts"
import { dayMs } from "../domain/Time.ts"

export interface Spending {
  /**
   * Reserves an estimated cost, USD. Returns a function, to be called once, that replaces the estimate by the
   * billed cost; null if the day's spending and the estimate together exceed the limit.
   */
  readonly reserve: (
    accountId: AccountId,
    estimateUsd: number,
    nowMs: number
  ) => ((costUsd: number) => void) | null
}

/**
 * Tracks spending since midnight UTC. After a restart of the process, spending begins at 0. A reserved
 * estimate counts as spent, because several questions may be in progress.
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
      // The reservation keeps its day's map, so that a bill after midnight counts for the question's day.
      const own = today(nowMs)
      const before = own.get(accountId) ?? 0
      if (!(before + estimateUsd <= dailyUsdMax)) return null
      own.set(accountId, before + estimateUsd)
      return (costUsd) => {
        own.set(accountId, Math.max(0, (own.get(accountId) ?? 0) - estimateUsd + costUsd))
      }
    }
  }
}
