/** Reserves of decisions in progress from their account's budget, until the ledger shows them. */
import { Cause, Effect, Exit } from "effect"
import type { BudgetHold, OpenBudget } from "../accounts/AccountBudgets.ts"
import { spendOf } from "../domain/account/Spending.ts"
import type { Decision } from "../domain/Decision.ts"
import { type BudgetCheck, BudgetExhausted } from "../ledger/Ledger.ts"
import type { HoldEnd } from "../stats/BudgetState.ts"
import type { EngineSettings } from "./Settings.ts"

/** A choice that an account's budget pays for. */
interface BudgetSpending {
  readonly openBudget: OpenBudget
  /** The least that the request could cost, USD by estimates. */
  readonly leastUsd: number
  /** Whether a lower threshold would change nothing. */
  readonly isLowest: boolean
}

/** The reserve of a decision in progress. */
interface RequestHold extends BudgetHold {
  /** Whether a lower threshold would change nothing. */
  readonly isLowest: boolean
  /** Whether it always fits: it costs nothing, or the caller runs its own default anyway. */
  readonly isFree: boolean
}

/** The reserves of a request's decisions; none without a budget. Mutable. */
export type Holds = Set<RequestHold>

/** Ends the holds of a request. */
export const endHolds = (holds: Holds, end: HoldEnd): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (holds.size === 0) return Effect.void
    const all = [...holds]
    holds.clear()
    return Effect.forEach(all, ({ release }) => release(end), { discard: true })
  })

/** Runs a request, and ends its holds. What fails was not written; what is interrupted may be. */
export const withHolds = <A, E, R>(work: (holds: Holds) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const holds: Holds = new Set()
    return Effect.onExit(work(holds), (exit) => {
      if (Exit.isSuccess(exit)) return endHolds(holds, "written")
      return endHolds(holds, Cause.hasInterruptsOnly(exit.cause) ? "waiting" : "dropped")
    })
  })

/**
 * Holds what a decision reserves, until the ledger shows it. Fails where that exceeds a hard budget by what
 * this process knows, also while the ledger is out. Yields how to let it go when the decision is made anew.
 */
export const holdSpending = Effect.fnUntraced(function*(
  holds: Holds,
  { isLowest, leastUsd, openBudget: { budget, hold } }: BudgetSpending,
  decision: Decision
): Effect.fn.Return<Effect.Effect<void>, BudgetExhausted> {
  const cost = { estimateUsd: spendOf(decision, []).waitingUsd, marginUsd: decision.costMarginUsd ?? 0 }
  const isFree = decision.isShadow || cost.estimateUsd + cost.marginUsd <= 0
  const taken: RequestHold = { ...yield* hold(cost, leastUsd), isFree, isLowest }
  holds.add(taken)
  const { period, spentUsd } = taken.state
  if (budget.isHard && !isFree && spentUsd > budget.usd) {
    return yield* new BudgetExhausted({ usd: budget.usd, period: budget.period, endsAtMs: period.endMs })
  }
  return Effect.suspend(() => holds.delete(taken) ? taken.release("dropped") : Effect.void)
})

/**
 * What the ledger is to check of a request's decisions, or null. It checks a hard budget always, and another
 * while so little is left that the processes together could exceed it before they know, unless there is
 * nothing cheaper. What is kept back for bursts is left to the cheapest.
 */
export const budgetCheck = (
  { checkedPicks }: Pick<EngineSettings, "checkedPicks">,
  holds: Holds
): BudgetCheck | null => {
  const [first, ...rest] = [...holds].filter(({ isFree }) => !isFree)
  if (first === undefined) return null
  const { budget, state: { billsPerEstimate, keptUsd } } = first
  const lowerable = [first, ...rest].filter(({ isLowest }) => !isLowest)
  const isNear = lowerable.some(({ reservedUsd, state: { leftUsd } }) =>
    leftUsd < checkedPicks * reservedUsd)
  return budget.isHard || isNear
    ? { billsPerEstimate, keptUsd: lowerable.length > 0 ? keptUsd : 0 }
    : null
}
