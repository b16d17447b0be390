/* The warnings of answers, and the reasons for escalation to the reasoner. */
import { Schema } from "effect"

/** Why a recommendation should be escalated to the reasoner. */
export const escalationReasons = [
  "thin_evidence", "low_confidence", "tie", "conflict", "wide_interval", "low_recall_confidence"
] as const
export type EscalationReason = typeof escalationReasons[number]

/**
 * Every warning of a recommendation. `candidates_capped`, `embedder_failed` and `account_models_unavailable`
 * are additions to the specification.
 */
export const RecommendWarning = Schema.Union([
  Schema.Literals([
    "cold_start", "recall_timeout", "memory_unavailable", "prices_stale", "no_model_meets_threshold",
    "no_model_within_cost_budget", "no_model_within_latency_budget", "memory_drift:repeated",
    "memory_drift:stagnant", "exploration_pick", "reasoner_consulted", "reasoner_failed", "reasoner_disabled",
    "llm_classified", "embedder_failed",
    "account_models_unavailable"
  ]),
  Schema.TemplateLiteral(["escalation_suggested:", Schema.Literals(escalationReasons)]),
  Schema.TemplateLiteral(["candidates_capped:", Schema.Int])
])
export type RecommendWarning = typeof RecommendWarning.Type

/**
 * Every warning of an answer to feedback. Additions to the specification: `idempotency_key_reused`;
 * `outcome_replaced` and `outcome_outranked`, about two labels of one decision and model;
 * `chosen_models_capped`; `cost_outlier`; and `tokens_added`, about a part that exceeds its whole.
 */
export const FeedbackWarning = Schema.Union([
  Schema.Literals([
    "unknown_recommendation", "memory_write_failed", "reinforcement_failed", "lesson_promotion_failed",
    "quality_outcome_mismatch", "late_feedback_no_attribution", "step_outcomes_partial",
    "idempotency_key_reused", "outcome_replaced", "outcome_outranked", "chosen_models_capped", "cost_outlier"
  ]),
  Schema.TemplateLiteral(["step_outcomes_capped:", Schema.Int]),
  Schema.TemplateLiteral(["tokens_added:", Schema.Literals(["cached_input_tokens", "reasoning_tokens"])])
])
export type FeedbackWarning = typeof FeedbackWarning.Type

export type Warning = RecommendWarning | FeedbackWarning

/**
 * Warnings as a client decodes them. The server sends the known ones only. A client accepts any text, because
 * a newer server may send others, and the client would otherwise fail to decode the whole answer.
 */
const withUnknown = <S extends Schema.Constraint>(known: S) =>
  Schema.Array(Schema.Union([known, Schema.String])).annotate({
    description: "The warnings of this version; ignore those that you do not know."
  })
export const RecommendWarnings = withUnknown(RecommendWarning)
export const FeedbackWarnings = withUnknown(FeedbackWarning)
