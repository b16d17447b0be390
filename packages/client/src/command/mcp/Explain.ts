/* Explains a decision of this session from its answer, and an older one from the dashboard. */
import { spelled } from "../../Choice.ts"
import type { RankedModel, RecommendResponse } from "../../Wire.ts"
import type { Answer } from "../Service.ts"

/** Maximum number of kept requests, and of kept answers. */
const keptMax = 200
/** Maximum number of candidates, and of outcomes of each, so that the text stays short for the agent. */
const candidatesMax = 5
const evidenceMax = 3

/** Stores a value under a recommendation's id, and drops the oldest value if the store is full. */
export const keep = <A>(kept: Map<string, A>, recommendationId: string, value: A): void => {
  kept.set(recommendationId, value)
  const [oldest] = kept.keys()
  if (oldest !== undefined && kept.size > keptMax) kept.delete(oldest)
}

export const summaryOf = ({ fallback_model, recommended_model, ...rest }: RecommendResponse): Answer => ({
  recommendation_id: rest.recommendation_id,
  model_id: spelled(recommended_model),
  fallback_model_id: spelled(fallback_model) ?? null,
  predicted_success: recommended_model.predicted_success,
  est_cost_usd: recommended_model.est_cost_usd,
  confidence: rest.confidence,
  rationale: recommended_model.rationale,
  recommended_actions: rest.recommended_actions,
  warnings: rest.warnings
})

const candidateOf = (model: RankedModel): Answer => ({
  model_id: spelled(model),
  provider: model.provider,
  predicted_success: model.predicted_success,
  success_interval_width: model.success_interval_width,
  est_cost_usd: model.est_cost_usd,
  score: model.score,
  decision_basis: model.decision_basis,
  rationale: model.rationale,
  evidence: model.evidence?.slice(0, evidenceMax)
})

const explained = (answer: RecommendResponse): Answer => {
  const { ranked, ...rest } = answer
  return {
    ...summaryOf(answer),
    decision_basis: rest.decision_basis,
    selection_policy: rest.selection_policy,
    threshold_used: rest.threshold_used,
    success_value_used_usd: rest.success_value_used_usd,
    classified_task_type: rest.classified_task_type,
    classified_difficulty: rest.classified_difficulty,
    catalog_version: rest.catalog_version,
    candidates: ranked.slice(0, candidatesMax).map(candidateOf),
    candidates_left_out: Math.max(0, ranked.length - candidatesMax)
  }
}

export const createRemembered = () => {
  const kept = new Map<string, Answer>()
  return {
    keep: (answer: RecommendResponse): void => keep(kept, answer.recommendation_id, explained(answer)),
    find: (recommendationId: string): Answer | null => kept.get(recommendationId) ?? null
  }
}

export type Remembered = ReturnType<typeof createRemembered>

/** Finds a decision in the dashboard's list of recent decisions; null if the list lacks the decision. */
export const explanationOf = ({ decisions }: Answer, recommendationId: string): Answer | null => {
  const all: ReadonlyArray<Answer> = Array.isArray(decisions) ? decisions : []
  return all.find(({ recommendation_id }) => recommendation_id === recommendationId) ?? null
}
