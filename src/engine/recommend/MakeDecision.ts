/** Stage: makes the decision of a choice, and reserves its cost until the decision is written. */
import { Effect } from "effect"
import { servedModel } from "../../catalog/Offerings.ts"
import type { Decision } from "../../domain/Decision.ts"
import type { ModelCard } from "../../domain/model/Model.ts"
import { modelIdOf } from "../../domain/model/ModelVariant.ts"
import { laneOf } from "../../domain/Scope.ts"
import { excerptOf } from "../../domain/Task.ts"
import { keyOfTask } from "../../domain/TaskKey.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { byConsequence, type RecommendWarning } from "../../domain/Warning.ts"
import type { BudgetExhausted } from "../../ledger/Ledger.ts"
import { type Holds, holdSpending } from "../BudgetHolds.ts"
import { annotateDecision } from "../EngineTelemetry.ts"
import { type Choice, unrecorded } from "../policies/Policy.ts"
import type { EngineSettings } from "../Settings.ts"
import type { CostedCandidate } from "./candidates/Candidate.ts"
import { isUnknown } from "./candidates/Needs.ts"
import { retiringWarnings } from "./candidates/Retirement.ts"
import { estimate } from "./cost/ListCost.ts"
import type { EscalationResult } from "./Escalate.ts"
import type { RequestContext } from "./RequestContext.ts"

export interface ChosenRequest {
  readonly context: RequestContext
  readonly choice: Choice
  readonly escalated: Pick<EscalationResult, "costUsd" | "reasons">
  readonly latencyMs: number
}

export interface DecidedRequest extends ChosenRequest {
  readonly decision: Decision
}

const declaredCard = ({ request: { baselineModelId }, snapshot }: RequestContext): ModelCard | undefined =>
  baselineModelId === null ? undefined : servedModel(snapshot, baselineModelId)

/** Cost of the declared baseline, USD, at list prices if it was no candidate; null if unknown. */
const declaredUsd = (
  context: RequestContext,
  priced: ReadonlyArray<CostedCandidate>,
  card: ModelCard | undefined
): number | null =>
  card === undefined
    ? null
    : priced.find((each) => each.card.modelId === card.modelId)?.cost.costUsd
      ?? estimate(context.settings, card, context.query).costUsd

const creditable = (
  settings: Pick<EngineSettings, "creditedNeighboursMax">,
  priced: ReadonlyArray<CostedCandidate>
): Decision["neighbours"] =>
  priced.flatMap(({ card: { modelId }, neighbours: { all, heavy, rows, weights } }) =>
    rows.slice(0, Math.min(heavy, settings.creditedNeighboursMax))
      .map((row, i) => ({ entryId: all.entryId(row), modelId, weight: weights[i]! }))
  )

const sumUsd = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? one ?? other : one + other

const warningsOf = ({ choice, context }: ChosenRequest): ReadonlyArray<RecommendWarning> => {
  const { createdAt, notes, request, settings, snapshot } = context
  const { card } = choice.pick
  return byConsequence([
    ...notes.warnings,
    ...choice.warnings,
    ...(isUnknown(request.inferredRequirements, card)
      ? [`capability_unknown:${modelIdOf(card.modelId)}` as const]
      : []),
    ...retiringWarnings(settings, snapshot, request, card, createdAt.getTime())
  ])
}

const baseOf = (chosen: ChosenRequest): Decision => {
  const { choice, context, escalated, latencyMs } = chosen
  const { classified, createdAt, recommendationId, request, settings, workflowId } = context
  const { criteria, eligible, objective, pick, priced, propensity } = choice
  const eligibleIds = new Set(eligible.map((each) => each.card.modelId))
  const declared = declaredCard(context)
  return {
    recommendationId,
    workflowId,
    accountId: context.accountId,
    createdAt,
    lane: laneOf(request.namespace),
    userId: request.userId,
    taskExcerpt: excerptOf(request.task.task),
    taskType: classified.taskType,
    difficulty: classified.difficulty,
    cluster: classified.cluster,
    tags: request.task.tags,
    recommendedModelId: pick.card.modelId,
    predictedSuccess: pick.predictedSuccess,
    threshold: criteria.threshold,
    successValueUsd: objective.valueUsd,
    decisionBasis: pick.decisionBasis,
    selectionPolicy: criteria.selectionPolicy,
    propensity,
    isExploration: pick !== choice.deterministic,
    isEscalated: escalated.reasons.length > 0,
    isShadow: request.shadow,
    ...unrecorded,
    taskKey: keyOfTask(request),
    costRecommendedUsd: pick.cost.costUsd,
    // The premium is the cost of the most expensive candidate, even if a limit excluded that candidate.
    costPremiumUsd: Math.max(...priced.map(({ cost }) => cost.costUsd)),
    // The baseline is stored by the catalog's id, because reports compare it with the model that ran.
    baselineModelId: declared?.modelId ?? request.baselineModelId,
    costDeclaredUsd: declaredUsd(context, priced, declared),
    candidates: priced.map((each) => ({
      modelId: each.card.modelId,
      // For the recommended model, the answer's prediction is stored, which may be optimistic.
      predictedSuccess: (each.card.modelId === pick.card.modelId ? pick : each).predictedSuccess,
      estCostUsd: each.cost.costUsd,
      isEligible: eligibleIds.has(each.card.modelId)
    })),
    forecasts: priced.map(({ card: { modelId }, forecast }) => ({ modelId, ...forecast })),
    neighbours: creditable(settings, priced),
    warnings: warningsOf(chosen),
    catalogVersion: context.snapshot.version,
    latencyMs,
    reasonerCostUsd: sumUsd(context.reasonerCostUsd, escalated.costUsd)
  }
}

export const decisionOf = (chosen: ChosenRequest): Decision => {
  const { choice, context: { redacted } } = chosen
  return choice.fields.reduce<Decision>(
    (decision, { recorded }) =>
      recorded === undefined ? decision : { ...decision, ...recorded(choice, decision) },
    { ...baseOf(chosen), ...redacted }
  )
}

export interface Unwritten extends DecidedRequest {
  /** Decides again at the lowest success threshold or value; null if lowering cannot change the choice. */
  readonly lowered: Effect.Effect<Unwritten, BudgetExhausted> | null
}

interface AssessedRequest extends Pick<ChosenRequest, "context" | "escalated"> {
  readonly lowest: Choice
  readonly holds: Holds
}

/** Fails if this process knows that the decision exceeds a hard budget. */
export const makeDecision: (
  assessed: AssessedRequest,
  choice: Choice
) => Effect.Effect<Unwritten, BudgetExhausted> = Effect.fnUntraced(function*(assessed, choice) {
  const { context, escalated, holds, lowest } = assessed
  const latencyMs = (yield* monotonicMs) - context.beganMs
  const chosen = { context, choice, escalated, latencyMs }
  const decision = decisionOf(chosen)
  yield* annotateDecision(decision)
  const isLowest = choice === lowest || choice.isFixed
  const release = context.budget === null ? Effect.void : yield* holdSpending(
    holds, { openBudget: context.budget, leastUsd: lowest.deterministic.cost.costUsd, isLowest }, decision
  )
  return {
    ...chosen, decision, lowered: isLowest ? null : Effect.andThen(release, makeDecision(assessed, lowest))
  }
})
