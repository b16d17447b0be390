/** The ledger's record of a recommendation. */
import { findModel } from "../../../catalog/Lookup.ts"
import { servedModel } from "../../../catalog/Offerings.ts"
import type { Decision } from "../../../domain/Decision.ts"
import type { EscalationReason } from "../../../domain/Escalation.ts"
import type { CatalogSnapshot, ModelCard } from "../../../domain/model/Model.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import type { RecommendationId } from "../../../domain/RecommendationId.ts"
import { type AccountId, laneOf } from "../../../domain/Scope.ts"
import { keyOfFirst, keyOfTask } from "../../../domain/TaskKey.ts"
import { excerptOf } from "../../../domain/Task.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import type { EngineSettings } from "../../Settings.ts"
import { type Classified, type CostedCandidate, marginalUsd } from "../candidates/Candidate.ts"
import { reservedUsd } from "../choice/BudgetGoal.ts"
import type { Optimized } from "../choice/Choose.ts"
import { advisesNone } from "../choice/Plan.ts"
import { type CostQuery, estimate, inputTokens, type ListCostRule, outputTokens } from "../cost/ListCost.ts"

/** What the stages found out about one recommendation. */
export interface DecisionFacts {
  readonly recommendationId: RecommendationId
  readonly workflowId: string | null
  readonly createdAt: Date
  readonly accountId: AccountId
  readonly request: RecommendRequest
  readonly classified: Classified
  readonly snapshot: CatalogSnapshot
  readonly threshold: number
  /** Every scored candidate, before the limits on cost and latency. */
  readonly priced: ReadonlyArray<CostedCandidate>
  readonly optimized: Optimized
  readonly selectionPolicy: Decision["selectionPolicy"]
  /** Of an account with a budget; null without one. */
  readonly billsPerEstimate: number | null
  /** Ids of the account's models whose next call is paid already. */
  readonly prepaid: ReadonlySet<string>
  readonly escalationReasons: ReadonlyArray<EscalationReason>
  readonly warnings: ReadonlyArray<RecommendWarning>
  readonly latencyMs: number
  readonly reasonerCostUsd: number | null
}

/** List costs and reserves, and neighbours kept for credit. */
export type DecisionRecordRule =
  ListCostRule & Pick<EngineSettings, "costHighRatio" | "creditedNeighboursMax">

/** Cost of the dearest scored candidate before the cost and latency filters: the generous baseline, USD. */
export const premiumUsd = (priced: ReadonlyArray<CostedCandidate>): number =>
  Math.max(...priced.map((candidate) => candidate.cost.costUsd))

/** The model that the request declares as its baseline; undefined for none, and for an unknown id. */
const declaredCard = ({ request: { baselineModelId }, snapshot }: DecisionFacts): ModelCard | undefined =>
  baselineModelId === null ? undefined : servedModel(snapshot, baselineModelId)

/**
 * The declared baseline's cost on the same basis when it was scored, else from list prices; null when
 * unknown.
 */
const declaredUsd = (
  settings: ListCostRule,
  facts: DecisionFacts,
  query: CostQuery
): number | null => {
  const card = declaredCard(facts)
  if (card === undefined) return null
  return facts.priced.find((each) => each.card.modelId === card.modelId)?.cost.costUsd
    ?? estimate(settings, card, query).costUsd
}

/**
 * The neighbours that a feedback may credit: those that weighed in a prediction, a few per model.
 */
const creditable = (
  settings: Pick<DecisionRecordRule, "creditedNeighboursMax">,
  priced: ReadonlyArray<CostedCandidate>
): Decision["neighbours"] =>
  priced.flatMap(({ card: { modelId }, neighbours: { all, heavy, rows, weights } }) =>
    rows.slice(0, Math.min(heavy, settings.creditedNeighboursMax))
      .map((row, i) => ({ entryId: all.entryId(row), modelId, weight: weights[i]! }))
  )

/** What a call of each prepaid model, and of each of its arms that was scored, would use of its quota. */
const prepaidTokensOf = (
  settings: ListCostRule,
  { classified, prepaid, priced, request: { task }, snapshot }: DecisionFacts
): Pick<Decision, "prepaidTokens"> => {
  if (prepaid.size === 0) return {}
  const cards = [
    ...[...prepaid].flatMap((id) => findModel(snapshot, id) ?? []),
    ...priced.flatMap(({ card, isPrepaid }) => isPrepaid === true ? [card] : [])
  ]
  const input = inputTokens(settings, task, classified)
  return {
    prepaidTokens: Object.fromEntries(cards.map((card) =>
      [card.modelId, Math.round(input + outputTokens(settings, task, classified, card))]))
  }
}

/** The task: the one that the caller names, else that of earlier attempts, else one that begins here. */
const taskKeyOf = ({ optimized: { plan }, recommendationId, request }: DecisionFacts) =>
  keyOfTask(request) ?? (plan === null ? null : plan.goal.taskKey ?? keyOfFirst(recommendationId))

/** What the ledger keeps of this recommendation. */
export const decisionOf = (
  settings: DecisionRecordRule,
  facts: DecisionFacts,
  query: CostQuery
): Decision => {
  const { classified, optimized, request } = facts
  const { eligible, guaranteed, objective, pick, plan, propensity } = optimized
  const bySpread = plan?.goal.bySpread(pick.card.modelId) ?? []
  const isIdle = advisesNone(plan)
  const eligibleIds = new Set(eligible.map((each) => each.card.modelId))
  return {
    recommendationId: facts.recommendationId,
    workflowId: facts.workflowId,
    accountId: facts.accountId,
    createdAt: facts.createdAt,
    lane: laneOf(request.namespace),
    userId: request.userId,
    taskExcerpt: excerptOf(request.task.task),
    taskType: classified.taskType,
    difficulty: classified.difficulty,
    cluster: classified.cluster,
    tags: request.task.tags,
    recommendedModelId: pick.card.modelId,
    predictedSuccess: pick.predictedSuccess,
    threshold: facts.threshold,
    successValueUsd: objective.valueUsd,
    decisionBasis: pick.decisionBasis,
    selectionPolicy: facts.selectionPolicy,
    propensity,
    isExploration: facts.warnings.includes("exploration_pick"),
    isEscalated: facts.escalationReasons.length > 0,
    isShadow: request.shadow,
    guaranteeBaselineId: guaranteed?.trial?.baselineModelId ?? null,
    guaranteeCandidateId: guaranteed?.trial?.candidateModelId ?? null,
    taskKey: taskKeyOf(facts),
    attemptNumber: plan === null ? null : isIdle ? 0 : plan.goal.made + 1,
    costRecommendedUsd: pick.cost.costUsd,
    costMarginUsd: facts.billsPerEstimate === null || request.shadow
      ? null
      : isIdle ? 0 : facts.billsPerEstimate * (reservedUsd(settings, pick) - marginalUsd(pick)),
    costPremiumUsd: premiumUsd(facts.priced),
    // Our id, because reports compare it with the model that was run.
    baselineModelId: declaredCard(facts)?.modelId ?? request.baselineModelId,
    costDeclaredUsd: declaredUsd(settings, facts, query),
    candidates: facts.priced.map((each) => ({
      modelId: each.card.modelId,
      // Of the pick what the answer says; of the others the plain prediction, since reports ask what they
      // would do.
      predictedSuccess: (each.card.modelId === pick.card.modelId ? pick : each).predictedSuccess,
      estCostUsd: each.cost.costUsd,
      isEligible: eligibleIds.has(each.card.modelId)
    })),
    forecasts: facts.priced.map(({ card: { modelId }, forecast }) => ({
      modelId, ...forecast, ...(modelId === pick.card.modelId && bySpread.length > 0 ? { bySpread } : {})
    })),
    neighbours: creditable(settings, facts.priced),
    warnings: facts.warnings,
    ...prepaidTokensOf(settings, facts),
    catalogVersion: facts.snapshot.version,
    latencyMs: facts.latencyMs,
    reasonerCostUsd: facts.reasonerCostUsd
  }
}
