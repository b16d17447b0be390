/** The ledger's record of a recommendation. */
import { servedModel } from "../../../catalog/Offerings.ts"
import type { Decision } from "../../../domain/Decision.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import { laneOf } from "../../../domain/Scope.ts"
import { excerptOf } from "../../../domain/Task.ts"
import { keyOfTask } from "../../../domain/TaskKey.ts"
import { reservedUsd } from "../../policies/BudgetCriteria.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { CostedCandidate } from "../candidates/Candidate.ts"
import { estimate } from "../cost/ListCost.ts"
import type { RequestContext } from "../RequestContext.ts"
import { type ChosenRequest, premiumUsd, warningsOf } from "./ChosenRequest.ts"

/** The model that the request declares as its baseline; undefined for none, and for an unknown id. */
const declaredCard = ({ request: { baselineModelId }, snapshot }: RequestContext): ModelCard | undefined =>
  baselineModelId === null ? undefined : servedModel(snapshot, baselineModelId)

/**
 * The declared baseline's cost: on the candidates' basis if it was scored, otherwise from list prices. Null
 * if unknown.
 */
const declaredUsd = (
  context: RequestContext,
  priced: ReadonlyArray<CostedCandidate>,
  card: ModelCard | undefined
): number | null =>
  card === undefined
    ? null
    : priced.find((each) => each.card.modelId === card.modelId)?.cost.costUsd
      ?? estimate(context.settings, card, context.query).costUsd

/**
 * The neighbours that a feedback may credit: a few per model, all with weight in a prediction.
 */
const creditable = (
  settings: Pick<EngineSettings, "creditedNeighboursMax">,
  priced: ReadonlyArray<CostedCandidate>
): Decision["neighbours"] =>
  priced.flatMap(({ card: { modelId }, neighbours: { all, heavy, rows, weights } }) =>
    rows.slice(0, Math.min(heavy, settings.creditedNeighboursMax))
      .map((row, i) => ({ entryId: all.entryId(row), modelId, weight: weights[i]! }))
  )

/** The reserve of the account's budget above the estimate, USD; null without a budget and in shadow. */
const marginOf = (
  { budget, request, settings }: RequestContext,
  { isIdle, pick }: ChosenRequest["choice"]
): number | null => {
  if (budget === null || request.shadow) return null
  return isIdle ? 0 : budget.state.billsPerEstimate * (reservedUsd(settings, pick) - pick.cost.costUsd)
}

/** Sum of two costs, USD; null when neither is known. */
const sumUsd = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? one ?? other : one + other

/** The fields of a decision that no policy adds. */
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
    guaranteeBaselineId: null,
    guaranteeCandidateId: null,
    taskKey: keyOfTask(request),
    attemptNumber: null,
    costRecommendedUsd: pick.cost.costUsd,
    costMarginUsd: marginOf(context, choice),
    costPremiumUsd: premiumUsd(chosen),
    // Our id, because reports compare it with the model that was run.
    baselineModelId: declared?.modelId ?? request.baselineModelId,
    costDeclaredUsd: declaredUsd(context, priced, declared),
    candidates: priced.map((each) => ({
      modelId: each.card.modelId,
      // The pick has the prediction of the answer; others the plain one, since reports ask what they
      // would do.
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

/** The decision that the ledger stores. */
export const decisionOf = (chosen: ChosenRequest): Decision => {
  const { choice, context: { redacted } } = chosen
  return choice.fields.reduce<Decision>(
    (decision, { recorded }) =>
      recorded === undefined ? decision : { ...decision, ...recorded(choice, decision) },
    { ...baseOf(chosen), ...redacted }
  )
}
