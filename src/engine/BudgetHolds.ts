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

/** Runs a request and ends its holds. A failed decision was not written; an interrupted one may have been. */
export const withHolds = <A, E, R>(work: (holds: Holds) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const holds: Holds = new Set()
    return Effect.onExit(work(holds), (exit) => {
      if (Exit.isSuccess(exit)) return endHolds(holds, "written")
      return endHolds(holds, Cause.hasInterruptsOnly(exit.cause) ? "waiting" : "dropped")
    })
  })

/**
 * Holds a decision's reserve until the ledger shows it. Fails if this process knows that the reserve exceeds
 * a hard budget, also while the ledger is out. Yields the effect that releases it if the decision is remade.
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
 * The check that the ledger makes when it writes a request's decisions, or null. It always checks a hard
 * budget. It checks another budget only while so little is left that the processes together could exceed it
 * unnoticed, and only if a cheaper choice exists. The reserve for bursts is for the cheapest choice.
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
