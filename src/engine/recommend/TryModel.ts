/** Stage: lets one recommendation at a time try the model that the others pass by. */
import { Clock, Effect } from "effect"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { ModelsHealth } from "../../ledger/ModelsHealth.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"
import type { CostedCandidates } from "./candidates/Candidate.ts"
import { type Goal, optimizeWith } from "./choice/Choose.ts"
import { withDue } from "./choice/Health.ts"

/** Less than 1: no trial of a guarantee is drawn. */
const undrawn = 1 - Number.EPSILON

/**
 * The goal with the try of an unhealthy model, where that is due, would be the pick if it were healthy, and
 * no other recommendation of the account has it.
 */
export const tryModel = Effect.fnUntraced(function*(
  accountId: AccountId,
  recommendationId: RecommendationId,
  candidates: CostedCandidates,
  goal: Goal
): Effect.fn.Return<Goal, LedgerUnavailable, Settings> {
  const settings = yield* Settings
  if (goal.health === null) return goal
  const asIfWell = withDue(goal.health, yield* Clock.currentTimeMillis)
  if (asIfWell === null) return goal
  const { deterministic } = optimizeWith(
    settings, candidates, { ...goal, health: asIfWell, selectionPolicy: "argmin" }, undrawn
  )
  const { modelId } = deterministic.card
  const against = goal.health.unhealthy.get(modelId)
  if (against === undefined || asIfWell.unhealthy.has(modelId)) return goal
  const isLent = yield* (yield* ModelsHealth).tryOut(accountId, against, recommendationId).pipe(
    LedgerUnavailable.within(settings.recallBudgetMs)
  )
  return isLent ? { ...goal, health: { ...goal.health, tried: modelId } } : goal
}, stage("tryModel"))
