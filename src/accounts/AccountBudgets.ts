/** Port: the budgets of accounts, by the ledger's last reading and this process's later decisions. */
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

export interface BudgetHold {
  readonly budget: Budget
  /** Amount that the decision reserves in the budget, USD. */
  readonly reservedUsd: number
  /** State of the budget, with the decision's cost counted. */
  readonly state: BudgetState
  /** Ends the hold, which a caller does exactly once. */
  readonly release: (end: HoldEnd) => Effect.Effect<void>
}

export interface OpenBudget {
  readonly budget: Budget
  readonly state: BudgetState
  /** Holds a decision's reserve. `leastUsd` is the estimated cost of the cheapest choice, USD. */
  readonly hold: (cost: ReservedCost, leastUsd: number) => Effect.Effect<BudgetHold>
}

interface AccountBudgetsPort {
  /** While the ledger is slow or unavailable, `read` uses the last reading if there is one. */
  readonly read: (accountId: AccountId, budget: Budget) => Effect.Effect<OpenBudget, LedgerUnavailable>
}

export const AccountBudgets = Context.Reference<AccountBudgetsPort>("sextant/accounts/AccountBudgets", {
  defaultValue: () => ({ read: () => Effect.fail(new LedgerUnavailable({ reason: new NotSent() })) })
})

/** Age at which a reading of the ledger is renewed, and pause after a failed reading, ms. */
const freshMs = 2_000
const pauseMs = 1_000
/** Maximum wait for a newer reading while an older one is known, ms. Chosen. */
const waitMs = 10
const capacity = 2_000

export interface SpendQuery {
  readonly accountId: AccountId
  readonly period: Budget["period"]
  /** Units by which the budget lowers requests' sliders in this process; null before the first reading. */
  readonly shift: number | null
}

/** State of a budget when it was last used, for the gauges. */
interface RecentBudget {
  readonly usedShare: number
  readonly shift: number
  readonly atMs: number
}

/** Time for which an unused budget stays in the gauges, ms. */
const seenMs = 60_000

/** Each gauge shows the highest value among the budgets that this process used in the last minute. */
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

export const makeAccountBudgets = Effect.fnUntraced(function*(
  rule: PacingRule,
  look: (query: SpendQuery) => Effect.Effect<LedgerSpend, LedgerUnavailable>
) {
  const seen = new Map<string, RecentBudget>()
  yield* gauges(seen)

  type Tracker = ReturnType<typeof trackBudget>
  // No time limit: a reading of a large ledger may take longer than any request waits.
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
                // Other processes may have spent money that this process has not seen.
                return end === "dropped" ? known.refresh(key, lookUpNow) : Effect.void
              })
          }
        })
      }
    })
  })
})
