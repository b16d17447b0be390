import { Schema } from "effect"

/** Why the reasoner should be asked. */
export const escalationReasons = [
  "thin_evidence", "low_confidence", "tie", "conflict", "wide_interval", "low_recall_confidence"
] as const
export type EscalationReason = typeof escalationReasons[number]

/**
 * Every warning that a recommendation can carry; `candidates_capped` and `embedder_failed` are the design's
 * additions.
 */
export const RecommendWarning = Schema.Union([
  Schema.Literals([
    "cold_start", "recall_timeout", "memory_unavailable", "prices_stale", "no_model_meets_threshold",
    "no_model_within_cost_budget", "no_model_within_latency_budget", "memory_drift:repeated",
    "memory_drift:stagnant", "exploration_pick", "reasoner_consulted", "reasoner_failed", "reasoner_disabled",
    "llm_classified", "embedder_failed"
  ]),
  Schema.TemplateLiteral(["escalation_suggested:", Schema.Literals(escalationReasons)]),
  Schema.TemplateLiteral(["candidates_capped:", Schema.Int])
])
export type RecommendWarning = typeof RecommendWarning.Type

/** Every warning that a feedback answer can carry; `idempotency_key_reused` is the design's addition. */
export const FeedbackWarning = Schema.Union([
  Schema.Literals([
    "unknown_recommendation", "memory_write_failed", "reinforcement_failed", "lesson_promotion_failed",
    "quality_outcome_mismatch", "late_feedback_no_attribution", "step_outcomes_partial",
    "idempotency_key_reused"
  ]),
  Schema.TemplateLiteral(["step_outcomes_capped:", Schema.Int])
])
export type FeedbackWarning = typeof FeedbackWarning.Type

export type Warning = RecommendWarning | FeedbackWarning
