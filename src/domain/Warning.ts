/* The warnings of answers. */
import { Schema } from "effect"
import { unpricedParts } from "./model/Cost.ts"

const ofRequest = [
  Schema.TemplateLiteral(["unknown_models:", Schema.Int]),
  Schema.TemplateLiteral(["unknown_field:", Schema.String])
] as const

export const RecommendWarning = Schema.Union([
  Schema.Literals([
    "cold_start", "recall_timeout", "memory_unavailable", "prices_stale", "no_model_meets_threshold",
    "no_model_within_cost_budget", "no_model_within_latency_budget", "no_model_within_capacity",
    "no_latency_history",
    "no_model_worth_its_cost",
    "memory_drift:repeated", "memory_drift:stagnant", "exploration_pick", "reasoner_consulted",
    "reasoner_failed", "reasoner_disabled",
    "llm_classified", "embedder_failed",
    "account_models_unavailable", "account_settings_unavailable", "lane_numbers_unavailable", "budget_paced",
    "budget_unavailable", "attempts_unavailable", "verification_without_retry", "gate_seldom_fails",
    "guarantee_unavailable",
    "guarantee_baseline_unavailable", "guarantee_needs_trials"
  ]),
  Schema.TemplateLiteral(["candidates_capped:", Schema.Int]),
  Schema.TemplateLiteral(["models_changed:", Schema.Int]),
  Schema.TemplateLiteral(["capability_unknown:", Schema.String]),
  Schema.TemplateLiteral(["price_unknown:", Schema.String]),
  Schema.TemplateLiteral(["unknown_attempts:", Schema.Int]),
  Schema.TemplateLiteral(["model_unhealthy:", Schema.String]),
  Schema.TemplateLiteral(["model_retired:", Schema.String]),
  Schema.TemplateLiteral(["model_retiring:", Schema.String]),
  ...ofRequest
])
export type RecommendWarning = typeof RecommendWarning.Type

export const FeedbackWarning = Schema.Union([
  Schema.Literals([
    "unknown_recommendation", "memory_write_failed", "reinforcement_failed", "lesson_promotion_failed",
    "quality_outcome_mismatch", "late_feedback_no_attribution", "step_outcomes_partial",
    "idempotency_key_reused", "outcome_replaced", "outcome_outranked", "chosen_models_capped", "cost_outlier",
    "unknown_effort", "other_task"
  ]),
  Schema.TemplateLiteral(["step_outcomes_capped:", Schema.Int]),
  Schema.TemplateLiteral(["tokens_added:", Schema.Literals(["cached_input_tokens", "reasoning_tokens"])]),
  Schema.TemplateLiteral(["price_assumed:", Schema.Literals(unpricedParts)]),
  ...ofRequest
])
export type FeedbackWarning = typeof FeedbackWarning.Type

export type Warning = RecommendWarning | FeedbackWarning

type WarningKind = Warning extends infer W ? W extends `${infer Kind}:${string}` ? Kind : W & string : never

/**
 * The rank of each warning; the lowest rank is the most serious. Rank 0: the answer is not the one that the
 * caller asked for. Rank 1: part of the request was not understood, or will soon not be understood. Rank 2: a
 * dependency failed. Rank 3: little is known about the task or the models. Rank 4: a note on how the answer
 * was made.
 */
const ranks: { readonly [Kind in WarningKind]: number } = {
  guarantee_baseline_unavailable: 0,
  no_model_within_cost_budget: 0, no_model_within_latency_budget: 0, no_model_within_capacity: 0,
  no_model_meets_threshold: 0,
  no_model_worth_its_cost: 0,
  budget_paced: 0,
  no_latency_history: 0, model_unhealthy: 0,
  unknown_recommendation: 0, idempotency_key_reused: 0, chosen_models_capped: 0, memory_write_failed: 0,
  guarantee_needs_trials: 0,
  unknown_models: 1, model_retired: 1, model_retiring: 1, unknown_attempts: 1, unknown_effort: 1,
  verification_without_retry: 1, gate_seldom_fails: 1,
  unknown_field: 1,
  candidates_capped: 1,
  quality_outcome_mismatch: 1,
  cost_outlier: 1, step_outcomes_capped: 1, tokens_added: 1, other_task: 1,
  account_models_unavailable: 2, account_settings_unavailable: 2, budget_unavailable: 2,
  lane_numbers_unavailable: 2, guarantee_unavailable: 2, attempts_unavailable: 2,
  memory_unavailable: 2, recall_timeout: 2, embedder_failed: 2,
  prices_stale: 2, reasoner_failed: 2, reinforcement_failed: 2, lesson_promotion_failed: 2,
  step_outcomes_partial: 2,
  cold_start: 3, capability_unknown: 3, price_unknown: 3, price_assumed: 3,
  memory_drift: 3, models_changed: 3,
  exploration_pick: 4, reasoner_disabled: 4, reasoner_consulted: 4,
  llm_classified: 4, late_feedback_no_attribution: 4, outcome_replaced: 4, outcome_outranked: 4
}

const thinRank = 3
const lastRank = 4

const rankOf = (warning: string): number => {
  const colon = warning.indexOf(":")
  return ranks[(colon === -1 ? warning : warning.slice(0, colon)) as WarningKind] ?? lastRank
}

/** Whether a person should act on a warning; a cold start, for example, passes by itself. */
export const needsAction = (warning: string): boolean => rankOf(warning) < thinRank

/** Returns the warnings without repeats, the most serious first; equally serious ones keep their order. */
export const byConsequence = <W extends string>(warnings: ReadonlyArray<W>): ReadonlyArray<W> =>
  warnings.length < 2 ? warnings : [...new Set(warnings)].sort((a, b) => rankOf(a) - rankOf(b))

/** A client accepts any text, because a newer server may send unknown warnings. */
const withUnknown = <S extends Schema.Constraint>(known: S) =>
  Schema.Array(Schema.Union([known, Schema.String])).annotate({
    description: "The warnings of this version. Clients ignore warnings that they do not know."
  })
export const RecommendWarnings = withUnknown(RecommendWarning)
export const FeedbackWarnings = withUnknown(FeedbackWarning)
