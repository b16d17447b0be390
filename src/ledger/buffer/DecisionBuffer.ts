/* Decisions in memory that wait to be written, bounded fairly between accounts. */
import type { Decision } from "../../domain/Decision.ts"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"

export type Decisions = readonly [Decision, ...Array<Decision>]

export interface DecisionBuffer {
  /** Adds a decision; a repeat changes nothing. Yields how many decisions were dropped for it, 0 or 1. */
  readonly add: (decision: Decision) => number
  readonly find: (accountId: AccountId, recommendationId: RecommendationId) => Decision | null
  /**
   * Up to `count` decisions of the account that has waited longest, oldest first; null when the buffer is
   * empty.
   */
  readonly oldest: (count: number) => Decisions | null
  readonly remove: (decisions: ReadonlyArray<Decision>) => void
  readonly all: () => ReadonlyArray<Decision>
  readonly size: () => number
}

const isSome = (decisions: ReadonlyArray<Decision>): decisions is Decisions => decisions.length > 0

/**
 * At most `decisionsMax` decisions. When the buffer is full, the account with the most decisions loses its
 * oldest, so that a busy account cannot displace the decisions of others.
 */
export const makeDecisionBuffer = (
  decisionsMax: number,
  onDropped: (decision: Decision) => void = () => {}
): DecisionBuffer => {
  // Accounts in the order of their turns; each account's decisions in the order in which they came.
  const accounts = new Map<AccountId, Map<RecommendationId, Decision>>()
  let size = 0

  const drop = (accountId: AccountId, recommendationId: RecommendationId): void => {
    const own = accounts.get(accountId)
    if (own?.delete(recommendationId) !== true) return
    size--
    if (own.size === 0) accounts.delete(accountId)
  }

  const dropOldestOfLargest = (): void => {
    let largest: readonly [AccountId, Map<RecommendationId, Decision>] | null = null
    for (const entry of accounts) if (largest === null || entry[1].size > largest[1].size) largest = entry
    if (largest === null) return
    const [accountId, own] = largest
    for (const [oldest, decision] of own) {
      onDropped(decision)
      return drop(accountId, oldest)
    }
  }

  return {
    add: (decision) => {
      const own = accounts.get(decision.accountId) ?? new Map<RecommendationId, Decision>()
      if (own.has(decision.recommendationId)) return 0
      own.set(decision.recommendationId, decision)
      accounts.set(decision.accountId, own)
      size++
      if (size <= decisionsMax) return 0
      dropOldestOfLargest()
      return 1
    },
    find: (accountId, recommendationId) => accounts.get(accountId)?.get(recommendationId) ?? null,
    oldest: (count) => {
      for (const [accountId, own] of accounts) {
        // To the end of the order: the next call takes another account.
        accounts.delete(accountId)
        accounts.set(accountId, own)
        const decisions: Array<Decision> = []
        for (const decision of own.values()) {
          decisions.push(decision)
          if (decisions.length === count) break
        }
        return isSome(decisions) ? decisions : null
      }
      return null
    },
    remove: (decisions) => {
      for (const { accountId, recommendationId } of decisions) drop(accountId, recommendationId)
    },
    all: () => [...accounts.values()].flatMap((own) => [...own.values()]),
    size: () => size
  }
}
