/**
 * The reserves of decisions in progress. Reserves count against the account's budget until the ledger has the
 * decisions.
 */
import { Cause, Effect, Exit } from "effect"
import type { BudgetHold, OpenBudget } from "../accounts/AccountBudgets.ts"
import { spendOf } from "../domain/account/Spending.ts"
import type { Decision } from "../domain/Decision.ts"
import { type BudgetCheck, BudgetExhausted } from "../ledger/Ledger.ts"
import type { HoldEnd } from "../stats/BudgetState.ts"
import type { EngineSettings } from "./Settings.ts"

/** The choice that a budget pays for. */
interface BudgetSpending {
  readonly openBudget: OpenBudget
  /** Estimated cost of the cheapest choice, USD. */
  readonly leastUsd: number
  /** True if a lower threshold would change nothing. */
  readonly isLowest: boolean
}

/** The reserve of a decision in progress. */
interface RequestHold extends BudgetHold {
  /** True if a lower threshold would change nothing. */
  readonly isLowest: boolean
  /** True if the decision always fits, because it costs nothing or is in shadow. */
  readonly isFree: boolean
}

/** The reserves of a request's decisions. Empty without a budget. Mutable. */
export type Holds = Set<RequestHold>

/** Ends the holds of a request. */
export const endHolds = (holds: Holds, end: HoldEnd): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (holds.size === 0) return Effect.void
    const all = [...holds]
    holds.clear()
    return Effect.forEach(all, ({ release }) => release(end), { discard: true })
  })

/**
 * Runs a request and ends its holds. A failed request wrote no decision, but an interrupted request may have
 * written one.
 */
export const withHolds = <A, E, R>(work: (holds: Holds) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const holds: Holds = new Set()
    return Effect.onExit(work(holds), (exit) => {
      if (Exit.isSuccess(exit)) return endHolds(holds, "written")
      return endHolds(holds, Cause.hasInterruptsOnly(exit.cause) ? "waiting" : "dropped")
    })
  })

/**
 * Holds a decision's reserve until the ledger has the decision. Fails if this process knows that the reserve
 * exceeds a hard budget. Returns an effect that releases the reserve, for a decision that is made again.
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
 * The budget check of the ledger when it writes a request's decisions, or null. A hard budget is always
 * checked. Another budget is checked only while little is left, and only if a cheaper choice exists. The part
 * that is kept for bursts is open only to the cheapest choice.
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
