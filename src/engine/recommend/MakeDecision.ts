/** Stage: makes the decision of a choice, and reserves its part of the budget until it is written. */
import { Effect } from "effect"
import { monotonicMs } from "../../domain/Time.ts"
import type { BudgetExhausted } from "../../ledger/Ledger.ts"
import { annotateDecision } from "../EngineTelemetry.ts"
import type { Choice } from "../policies/Policy.ts"
import { type Holds, holdSpending } from "../SpendingHolds.ts"
import type { ChosenRequest, DecidedRequest } from "./answer/ChosenRequest.ts"
import { decisionOf } from "./answer/DecisionRecord.ts"

/** A recommendation that is not written yet. */
export interface Unwritten extends DecidedRequest {
  /** Makes the decision again by the lowest criteria; null if they could not change the pick. */
  readonly lowered: Effect.Effect<Unwritten, BudgetExhausted> | null
}

/** A request that is assessed, and its choice by the lowest criteria. */
interface AssessedRequest extends Pick<ChosenRequest, "context" | "escalated"> {
  readonly lowest: Choice
  readonly holds: Holds
}

/** Fails if, as far as this process knows, the decision exceeds a hard budget. */
export const makeDecision: (
  assessed: AssessedRequest,
  choice: Choice
) => Effect.Effect<Unwritten, BudgetExhausted> = Effect.fnUntraced(function*(assessed, choice) {
  const { context, escalated, holds, lowest } = assessed
  const latencyMs = (yield* monotonicMs) - context.beganMs
  const chosen = { context, choice, escalated, latencyMs }
  const decision = decisionOf(chosen)
  yield* annotateDecision(decision)
  // A guarantee decides its pick, and has drawn.
  const isLowest = choice === lowest || context.guarantee !== null
  const release = context.budget === null ? Effect.void : yield* holdSpending(
    holds, { openBudget: context.budget, leastUsd: lowest.deterministic.cost.costUsd, isLowest }, decision
  )
  return {
    ...chosen, decision, lowered: isLowest ? null : Effect.andThen(release, makeDecision(assessed, lowest))
  }
})
