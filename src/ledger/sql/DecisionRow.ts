import type { Decision, LedgerRow, Reconciliation } from "../../domain/Decision.ts"
import { type RecommendationId, timeOf } from "../../domain/RecommendationId.ts"
import { clusterOf } from "../../domain/Task.ts"
import type { TaskVector } from "../../domain/text/TaskText.ts"

type CandidateTuple = readonly [
  modelId: string, predictedSuccess: number, estCostUsd: number, isEligible: boolean
]
type ForecastTuple = readonly [modelId: string, base: number, cells: number, local: number, mixed: number]
type VectorTuple = readonly [embedder: string, scale: number, vector: string]
type NeighbourTuple = readonly [entryId: string, modelId: string, weight: number]

/**
 * A decision's own columns, as the driver decodes them. The types restate migrations 0003 and 0010, and only
 * this folder writes the table, so rows are read without a schema: a report reads hundreds of thousands.
 */
export interface DecisionRow {
  readonly recommendation_id: RecommendationId
  readonly workflow_id: string | null
  readonly created_at: Date
  readonly lane: Decision["lane"]
  readonly user_id: string | null
  readonly task_type: Decision["taskType"]
  readonly difficulty: Decision["difficulty"]
  readonly tags: ReadonlyArray<string>
  readonly recommended_model_id: string
  readonly predicted_success: number
  readonly threshold: number
  readonly decision_basis: Decision["decisionBasis"]
  readonly selection_policy: Decision["selectionPolicy"]
  readonly propensity: number
  readonly is_exploration: boolean
  readonly is_escalated: boolean
  readonly cost_recommended_usd: number
  readonly cost_premium_usd: number
  readonly baseline_model_id: string | null
  readonly cost_declared_usd: number | null
  readonly candidates: ReadonlyArray<CandidateTuple>
  readonly mean_similarity: number | null
  readonly high_similarity: number | null
  readonly warnings: ReadonlyArray<string>
  readonly catalog_version: string
  readonly latency_ms: number
  readonly reasoner_cost_usd: number | null
}

/** What only a single decision is read with. */
export interface DecisionDetailRow {
  readonly account_id: Decision["accountId"]
  readonly task_excerpt: string
  readonly task_vectors: ReadonlyArray<VectorTuple> | null
  readonly neighbours: ReadonlyArray<NeighbourTuple>
  readonly forecasts: ReadonlyArray<ForecastTuple>
}

/** The feedback columns: the first seven are all null, or none is. */
export interface FeedbackRow {
  readonly feedback_at: Date | null
  readonly chosen_model_id: string
  readonly outcome: Reconciliation["outcome"]
  readonly quality: number
  readonly provenance: Reconciliation["provenance"]
  readonly error_cause: Reconciliation["errorCause"]
  readonly teaches: boolean
  readonly is_late: boolean
  readonly actual_cost_usd: number | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly actual_latency_ms: number | null
}

/** The columns of {@link DecisionRow}, in SQL. */
export const decisionColumns = `recommendation_id, workflow_id, created_at, lane, user_id, task_type,
  difficulty, tags,
  recommended_model_id, predicted_success, threshold, decision_basis, selection_policy, propensity,
  is_exploration, is_escalated, cost_recommended_usd, cost_premium_usd, baseline_model_id,
  cost_declared_usd, candidates, mean_similarity, high_similarity, warnings,
  catalog_version, latency_ms, reasoner_cost_usd`

/** The columns of {@link DecisionDetailRow}. */
export const detailColumns = "account_id, task_excerpt, task_vectors, neighbours, forecasts"

/** The columns of {@link FeedbackRow}; counts are below 2^53 and come as numbers. */
export const feedbackColumns = `feedback_at, chosen_model_id, outcome, quality, provenance, error_cause,
  teaches,
  is_late, actual_cost_usd, input_tokens::float8, output_tokens::float8, actual_latency_ms`

/** Vectors as the ledger keeps them, JSON. */
const vectorsAsJson = (vectors: ReadonlyArray<TaskVector>): string =>
  JSON.stringify(vectors.map(({ embedder, scale, vector }): VectorTuple => [embedder, scale, vector]))

/** A decision as the insert writes it; JSON columns as text. */
export const toRow = (decision: Decision) => ({
  account_id: decision.accountId,
  created_at: timeOf(decision.recommendationId),
  recommendation_id: decision.recommendationId,
  workflow_id: decision.workflowId,
  lane: decision.lane,
  user_id: decision.userId,
  task_excerpt: decision.taskExcerpt,
  task_vectors: decision.taskVectors === undefined ? null : vectorsAsJson(decision.taskVectors),
  task_type: decision.taskType,
  difficulty: decision.difficulty,
  tags: JSON.stringify(decision.tags),
  recommended_model_id: decision.recommendedModelId,
  predicted_success: decision.predictedSuccess,
  threshold: decision.threshold,
  decision_basis: decision.decisionBasis,
  selection_policy: decision.selectionPolicy,
  propensity: decision.propensity,
  is_exploration: decision.isExploration,
  is_escalated: decision.isEscalated,
  cost_recommended_usd: decision.costRecommendedUsd,
  cost_premium_usd: decision.costPremiumUsd,
  baseline_model_id: decision.baselineModelId,
  cost_declared_usd: decision.costDeclaredUsd,
  candidates: JSON.stringify(decision.candidates.map((candidate): CandidateTuple => [
    candidate.modelId,
    candidate.predictedSuccess,
    candidate.estCostUsd,
    candidate.isEligible
  ])),
  forecasts: JSON.stringify(decision.forecasts.map(({ base, cells, local, mixed, modelId }): ForecastTuple =>
    [modelId, base, cells, local, mixed])),
  mean_similarity: decision.meanSimilarity,
  high_similarity: decision.highSimilarity,
  neighbours: JSON.stringify(decision.neighbours.map(({ entryId, modelId, weight }): NeighbourTuple =>
    [entryId, modelId, weight])),
  warnings: JSON.stringify(decision.warnings),
  catalog_version: decision.catalogVersion,
  latency_ms: decision.latencyMs,
  reasoner_cost_usd: decision.reasonerCostUsd
})

const toLedgerDecision = (row: DecisionRow): LedgerRow["decision"] => ({
  recommendationId: row.recommendation_id,
  workflowId: row.workflow_id,
  createdAt: row.created_at,
  lane: row.lane,
  userId: row.user_id,
  taskType: row.task_type,
  difficulty: row.difficulty,
  cluster: clusterOf(row.task_type, row.difficulty),
  tags: row.tags,
  recommendedModelId: row.recommended_model_id,
  predictedSuccess: row.predicted_success,
  threshold: row.threshold,
  decisionBasis: row.decision_basis,
  selectionPolicy: row.selection_policy,
  propensity: row.propensity,
  isExploration: row.is_exploration,
  isEscalated: row.is_escalated,
  costRecommendedUsd: row.cost_recommended_usd,
  costPremiumUsd: row.cost_premium_usd,
  baselineModelId: row.baseline_model_id,
  costDeclaredUsd: row.cost_declared_usd,
  candidates: row.candidates.map(([modelId, predictedSuccess, estCostUsd, isEligible]) =>
    ({ modelId, predictedSuccess, estCostUsd, isEligible })),
  meanSimilarity: row.mean_similarity,
  highSimilarity: row.high_similarity,
  warnings: row.warnings,
  catalogVersion: row.catalog_version,
  latencyMs: row.latency_ms,
  reasonerCostUsd: row.reasoner_cost_usd
})

export const toReconciliation = (row: FeedbackRow): Reconciliation | null =>
  row.feedback_at === null ? null : {
    feedbackAt: row.feedback_at,
    chosenModelId: row.chosen_model_id,
    outcome: row.outcome,
    quality: row.quality,
    provenance: row.provenance,
    errorCause: row.error_cause,
    teaches: row.teaches,
    isLate: row.is_late,
    actualCostUsd: row.actual_cost_usd,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    latencyMs: row.actual_latency_ms
  }

export const toDecision = (row: DecisionRow & DecisionDetailRow): Decision => ({
  ...toLedgerDecision(row),
  accountId: row.account_id,
  taskExcerpt: row.task_excerpt,
  ...(row.task_vectors === null ? {} : {
    taskVectors: row.task_vectors.map(([embedder, scale, vector]) => ({ embedder, scale, vector }))
  }),
  neighbours: row.neighbours.map(([entryId, modelId, weight]) => ({ entryId, modelId, weight })),
  forecasts: row.forecasts.map(([modelId, base, cells, local, mixed]) =>
    ({ modelId, base, cells, local, mixed }))
})

export const toLedgerRow = (row: DecisionRow & FeedbackRow): LedgerRow => ({
  decision: toLedgerDecision(row),
  feedback: toReconciliation(row)
})
