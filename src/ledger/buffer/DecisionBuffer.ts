/* A bounded buffer of unwritten decisions, which is fair between accounts. */
import { Array as Arr, Iterable } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"

export type Decisions = readonly [Decision, ...Array<Decision>]

export interface DecisionBuffer {
  /** Adds a decision, unless it is present. Returns false if the buffer was full and dropped a decision. */
  readonly add: (decision: Decision) => boolean
  readonly find: (accountId: AccountId, recommendationId: RecommendationId) => Decision | null
  /**
   * Returns up to `count` of the oldest decisions of the account whose turn it is; null if the buffer is
   * empty. Each call of `oldest` gives the turn to the next account.
   */
  readonly oldest: (count: number) => Decisions | null
  readonly remove: (decisions: ReadonlyArray<Decision>) => void
  /** Moves a decision behind the other decisions of its account. */
  readonly postpone: (decision: Decision) => void
  readonly size: () => number
}

/**
 * Makes a fair buffer. A full buffer drops the oldest decision of the account with most decisions, so that a
 * busy account cannot displace the decisions of other accounts.
 */
export const makeDecisionBuffer = (decisionsMax: number): DecisionBuffer => {
  // The outer map has accounts in the order of their turns. Inner maps have decisions in writing order.
  const accounts = new Map<AccountId, Map<RecommendationId, Decision>>()
  let size = 0

  const drop = ({ accountId, recommendationId }: Decision): void => {
    const own = accounts.get(accountId)
    if (own?.delete(recommendationId) !== true) return
    size--
    if (own.size === 0) accounts.delete(accountId)
  }

  const dropOldestOfLargest = (): void => {
    let largest: Map<RecommendationId, Decision> | null = null
    for (const own of accounts.values()) if (largest === null || own.size > largest.size) largest = own
    const oldest = largest?.values().next().value
    if (oldest !== undefined) drop(oldest)
  }

  return {
    add: (decision) => {
      const own = accounts.get(decision.accountId) ?? new Map<RecommendationId, Decision>()
      if (own.has(decision.recommendationId)) return true
      own.set(decision.recommendationId, decision)
      accounts.set(decision.accountId, own)
      size++
      const hasRoom = size <= decisionsMax
      if (!hasRoom) dropOldestOfLargest()
      return hasRoom
    },
    find: (accountId, recommendationId) => accounts.get(accountId)?.get(recommendationId) ?? null,
    oldest: (count) => {
      for (const [accountId, own] of accounts) {
        accounts.delete(accountId)
        accounts.set(accountId, own)
        const decisions = [...Iterable.take(own.values(), count)]
        return Arr.isArrayNonEmpty(decisions) ? decisions : null
      }
      return null
    },
    remove: (decisions) => decisions.forEach(drop),
    postpone: (decision) => {
      const own = accounts.get(decision.accountId)
      if (own?.delete(decision.recommendationId) === true) own.set(decision.recommendationId, decision)
    },
    size: () => size
  }
}
