/** Port: the budgets of accounts with their spending, and the decisions of this process since it was read. */
import { Clock, Context, Effect } from "effect"
import type { Budget } from "../domain/account/Budget.ts"
import type { AccountId } from "../domain/Scope.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import { NotSent } from "../resilience/FailureReason.ts"
import { makeReadCache } from "../resilience/ReadCache.ts"
import {
  type BudgetState, type HoldEnd, type LedgerSpend, trackBudget, type ReservedCost
} from "../stats/BudgetState.ts"
import type { PacingRule } from "../stats/BudgetPacing.ts"
import { gauged, meters } from "../telemetry/Metrics.ts"

/** A decision that counts as spent while it is being written. */
export interface BudgetHold {
  readonly budget: Budget
  /** What the decision counts for, USD. */
  readonly reservedUsd: number
  /** The budget with the decision. */
  readonly state: BudgetState
  /** Ends the hold, once. */
  readonly release: (end: HoldEnd) => Effect.Effect<void>
}

/** An account's budget as this process knows it. */
export interface OpenBudget {
  readonly budget: Budget
  /** What the ledger said a few seconds ago, and what this process has decided since. */
  readonly state: BudgetState
  /** Holds what a decision reserves; `leastUsd` is the least that its request could have cost, USD. */
  readonly hold: (cost: ReservedCost, leastUsd: number) => Effect.Effect<BudgetHold>
}

interface AccountBudgetsPort {
  /**
   * How a budget stands now. The last reading of the ledger counts while it is slow or unavailable; without
   * any this fails.
   */
  readonly read: (accountId: AccountId, budget: Budget) => Effect.Effect<OpenBudget, LedgerUnavailable>
}

export const AccountBudgets = Context.Reference<AccountBudgetsPort>("sextant/accounts/AccountBudgets", {
  defaultValue: () => ({ read: () => Effect.fail(new LedgerUnavailable({ reason: new NotSent() })) })
})

/**
 * Longest time until what other processes decided, and reports, are seen, and pause after a failed read, ms.
 * It is shorter while much is spent (`PacingRule.unreadMax`).
 */
const freshMs = 2_000
const pauseMs = 1_000
/** How long a recommendation waits for a newer reading than the last one, ms. Chosen. */
const waitMs = 10
/** Budgets remembered, count; each takes a few kilobytes. */
const capacity = 2_000

/** A reading of an account's spending. */
export interface SpendQuery {
  readonly accountId: AccountId
  readonly period: Budget["period"]
  /** The multiplier of this process, slider units; null before its first reading. */
  readonly shift: number | null
}

/** A budget as a recommendation saw it last, for the gauges. */
interface RecentBudget {
  readonly usedShare: number
  readonly shift: number
  readonly atMs: number
}

/** How long a budget without requests stays in the gauges, ms. */
const seenMs = 60_000

/** The gauges of this process: the highest of each over its accounts. */
const gauges = Effect.fnUntraced(function*(seen: Map<string, RecentBudget>) {
  const clock = yield* Clock.Clock
  const highest = (of: (each: RecentBudget) => number) => (): number => {
    const sinceMs = clock.currentTimeMillisUnsafe() - seenMs
    let most = 0
    for (const [key, each] of seen) {
      if (each.atMs < sinceMs) seen.delete(key)
      else most = Math.max(most, of(each))
    }
    return most
  }
  yield* gauged(meters.budgetUsed({}), highest(({ usedShare }) => usedShare))
  yield* gauged(meters.budgetShift({}), highest(({ shift }) => shift))
})

/** The port over a ledger that `look` reads. */
export const makeAccountBudgets = Effect.fnUntraced(function*(
  rule: PacingRule,
  look: (query: SpendQuery) => Effect.Effect<LedgerSpend, LedgerUnavailable>
) {
  const seen = new Map<string, RecentBudget>()
  yield* gauges(seen)

  type Tracker = ReturnType<typeof trackBudget>
  // A reading of a large ledger takes as long as it takes: longer than any request waits.
  const known = yield* makeReadCache<Tracker, LedgerUnavailable>({ capacity, freshMs, pauseMs, waitMs })
  const lookUp = (accountId: AccountId, period: Budget["period"]) =>
    Effect.fnUntraced(function*(tracker: Tracker = trackBudget(rule)) {
      const found = yield* look({ accountId, period, shift: tracker.begin() })
      tracker.end(found, yield* Clock.currentTimeMillis)
      return tracker
    })
  return AccountBudgets.of({
    read: Effect.fnUntraced(function*(accountId: AccountId, budget: Budget) {
      const key = `${budget.period} ${accountId}`
      const lookUpNow = lookUp(accountId, budget.period)
      const tracker = yield* known.read(key, lookUpNow)
      const nowMs = yield* Clock.currentTimeMillis
      const state = tracker.state(budget, nowMs)
      const { shift, spentUsd } = state
      seen.set(key, { shift, usedShare: budget.usd > 0 ? spentUsd / budget.usd : 0, atMs: nowMs })
      return {
        budget,
        state,
        hold: Effect.fnUntraced(function*(cost: ReservedCost, leastUsd: number) {
          const held = tracker.hold(budget, yield* Clock.currentTimeMillis, cost, leastUsd)
          if (tracker.isDue(budget, state)) yield* known.refresh(key, lookUpNow)
          return {
            budget,
            ...held,
            release: (end: HoldEnd) =>
              Effect.suspend(() => {
                held.release(end)
                // Others may have spent what this process has not seen.
                return end === "dropped" ? known.refresh(key, lookUpNow) : Effect.void
              })
          }
        })
      }
    })
  })
})
