/** Reserves of decisions: amounts that this process counts as spent before the ledger's sums contain them. */
import { Cause, Effect, Exit } from "effect"
import type { BudgetHold, OpenBudget } from "../accounts/AccountBudgets.ts"
import { spendOf } from "../domain/account/Spending.ts"
import type { Decision } from "../domain/Decision.ts"
import { type BudgetCheck, BudgetExhausted } from "../ledger/Ledger.ts"
import type { HoldEnd } from "../stats/BudgetState.ts"
import type { EngineSettings } from "./Settings.ts"

interface BudgetSpending {
  readonly openBudget: OpenBudget
  /** Estimated cost of the model chosen at the lowest success threshold or value that is allowed, USD. */
  readonly leastUsd: number
  /** True if no lower threshold or value may change the choice. */
  readonly isLowest: boolean
}

interface RequestHold extends BudgetHold {
  readonly isLowest: boolean
  /** True if the decision fits into any budget, because it costs nothing or is a shadow decision. */
  readonly isFree: boolean
}

/** The reserves of one request, as a mutable set. */
export type Holds = Set<RequestHold>

export const endHolds = (holds: Holds, end: HoldEnd): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (holds.size === 0) return Effect.void
    const all = [...holds]
    holds.clear()
    return Effect.forEach(all, ({ release }) => release(end), { discard: true })
  })

/**
 * Releases a request's reserves at its end. The reserves of an interrupted request count until a later
 * decision is written, because the request's decisions may have been written.
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
 * Reserves a decision's cost. Fails if this process knows that the reserve exceeds a hard budget. Returns an
 * effect that releases the reserve, in case the decision is made again.
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
 * Returns the check that the ledger makes when it writes a request's decisions, or null if it makes none.
 * Under a hard budget, the ledger checks all decisions that cost money. Under a soft budget, the ledger
 * checks decisions if little of the budget is left and a lower threshold or value is left to try.
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
