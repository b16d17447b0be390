/* Requests and answers as they are on the wire. Written by `npm run client:types`; never edited. */

/** A task, and what a recommendation for it must respect. */
export interface RecommendRequest {
  /** The task that the model is to run. */
  readonly task: TaskInput
  /**
   * The slider between cost and quality, which sets the threshold: 0 is the cheapest acceptable model,
   * 10 the best at any cost. A value of success takes its place. Default: `5`.
   */
  readonly cost_quality_tradeoff?: number | undefined
  /** Limits on the models that may be recommended. */
  readonly constraints?: Constraints | undefined
  /** An actor within the account; its own outcomes are recalled. */
  readonly user_id?: string | null | undefined
  /** A part of the account that recalls and learns on its own; null is the lane `sextant:default`. */
  readonly namespace?: string | null | undefined
  /** Most models that are scored. Default: `8`. */
  readonly max_candidates?: number | undefined
  /** Whether a reasoner may be asked when the choice is in doubt. Default: `true`. */
  readonly allow_llm_escalation?: boolean | undefined
  /** Whether each ranked model carries its `evidence`. Default: `true`. */
  readonly explain?: boolean | undefined
  /**
   * `latency` picks the fastest of the models that reach the threshold, by the latency that was
   * reported of similar tasks, in place of the cheapest. Default: `"cost"`.
   */
  readonly optimize_for?: OptimizeFor | undefined
  /**
   * `short` says of each model its ids, provider, prediction and cost alone, and leaves out what is
   * null; `ranked` does not repeat the recommended model, whose place is `recommended_rank`. Default:
   * `"full"`.
   */
  readonly detail?: AnswerDetail | undefined
  /**
   * Whether you run your own default, whatever the answer is. The answer is the same; the decision is
   * marked, and no report counts it as a saving. Report the model that ran: its outcome teaches.
   * Default: `false`.
   */
  readonly shadow?: boolean | undefined
  /** The model that you would use without the service; savings are reported against it. */
  readonly baseline_model_id?: string | null | undefined
  /**
   * The model that holds a warm prompt cache of this conversation: priced with it, and kept where the
   * evidence cannot tell it from the pick.
   */
  readonly incumbent_model_id?: string | null | undefined
  /**
   * A cheaper model only once its success is known to be within a loss of a baseline's; null: the
   * account's own guarantee, if it has one.
   */
  readonly guarantee?: GuaranteeRequest | null | undefined
  /** Whether the answer carries a `vote_token`. Default: `false`. */
  readonly vote?: boolean | undefined
  /** What your program saw in the request by itself; null: nothing. */
  readonly inferred_requirements?: InferredRequirements | null | undefined
  /**
   * Your name of the task, at most 128 characters. In reports, recommendations of one task are attempts
   * at it. Left out, those are that `attempts` name.
   */
  readonly task_id?: string | null | undefined
  /** What was tried at this very task, in order: models are predicted given what it came to. */
  readonly attempts?: ReadonlyArray<TaskAttempt> | undefined
  /** How you check a result; with it the answer has a `plan` of several attempts. */
  readonly verification?: Verification | null | undefined
  /**
   * What a right result is worth to you, in US dollars: the pick, or the plan, maximises that times its
   * success, less its cost, in place of `cost_quality_tradeoff` and `optimize_for`. Null: the account's
   * own value; without one the cheapest that reaches the threshold.
   */
  readonly success_value_usd?: number | null | undefined
  /** Most attempts of the plan, counted from now on. Default: `3`. */
  readonly max_attempts?: number | undefined
  /** Most that the plan's attempts may cost together from now on, in US dollars. */
  readonly max_total_cost_usd?: number | null | undefined
}

/** A task for which a model is wanted. */
export interface TaskInput {
  /** The task or prompt, not empty. At most its first 3,000 and last 1,000 characters are kept. */
  readonly task: string
  /** Kind of task; classified from the text when left out. */
  readonly task_type?: TaskType | null | undefined
  /** Difficulty; classified from the text when left out. */
  readonly difficulty?: Difficulty | null | undefined
  /**
   * What is paid for: one `call`, or a `run` of an agent. Costs and latencies are of this unit, and
   * learned from tasks of the same unit. Default: `"call"`.
   */
  readonly unit?: Unit | undefined
  /**
   * Input tokens of the call, or of all calls of the run, for its estimated cost; else the default of
   * the task type, or of runs.
   */
  readonly expected_input_tokens?: number | null | undefined
  /** Output tokens, likewise. */
  readonly expected_output_tokens?: number | null | undefined
  /** Environment of the task, such as `lang:python`: outcomes with the same tags weigh more. */
  readonly tags?: ReadonlyArray<string> | undefined
}

/** Kind of task. */
export type TaskType = 
  | "code"
  | "summarization"
  | "extraction"
  | "qa"
  | "reasoning"
  | "classification"
  | "translation"
  | "creative"
  | "rag"
  | "tool_use"
  | "other"

/** Difficulty of a task. */
export type Difficulty = "trivial" | "easy" | "medium" | "hard" | "expert"

/**
 * What is paid for a task: one `call` of a model; or a `run` of an agent, which makes many calls and
 * reads most of its input from the prompt cache.
 */
export type Unit = "call" | "run"

/** Limits on the models that may be recommended. Every field is optional; an unknown one is a 400. */
export interface Constraints {
  /** Only models of these providers. */
  readonly allowed_providers?: ReadonlyArray<string> | null | undefined
  /** Only these models, by id or alias; `<model>#<effort>` is a model at one level of reasoning effort. */
  readonly candidate_models?: ReadonlyArray<string> | null | undefined
  /**
   * None of these models, by id or alias; with `#<effort>` only that level of reasoning effort of a
   * model.
   */
  readonly excluded_models?: ReadonlyArray<string> | null | undefined
  /**
   * Highest estimated cost of the call, in US dollars; relaxed with a warning rather than leave no
   * model.
   */
  readonly max_cost_per_call?: number | null | undefined
  /** Least predicted success; raises the threshold. */
  readonly min_quality?: number | null | undefined
  /**
   * Highest 75th percentile of latency on similar tasks, in milliseconds. A model without latency
   * history stays.
   */
  readonly max_latency_ms?: number | null | undefined
  /** Only models with at least this context, in tokens. */
  readonly require_context_window?: number | null | undefined
  /** Only models that take all of these; one that is not known to is no candidate. */
  readonly required_modalities?: ReadonlyArray<Modality> | null | undefined
  /**
   * Only models that process requests in these regions or data zones and nowhere else; words are
   * compared, so name each that you allow (`eu`, `eu-west-1`); one that is not known to is no
   * candidate.
   */
  readonly data_regions?: ReadonlyArray<string> | null | undefined
  /** Only models that support prompt caching; each is then priced with a warm cache. Default: `false`. */
  readonly require_prompt_caching?: boolean | undefined
  /** Only models that call tools; one that is not known to is no candidate. Default: `false`. */
  readonly require_tools?: boolean | undefined
  /**
   * Only models whose answers can be held to a JSON schema; one that is not known to is no candidate.
   * Default: `false`.
   */
  readonly require_structured_output?: boolean | undefined
}

/** A kind of input beside text; `file` is a document, such as a PDF. */
export type Modality = "image" | "audio" | "file"

/**
 * What is kept low among the models that reach the threshold: the `cost` of the call, or its
 * `latency`.
 */
export type OptimizeFor = "cost" | "latency"

/**
 * How much an answer says of each model: `full`; or `short`, its ids, provider, prediction and cost
 * alone, and the recommended model once.
 */
export type AnswerDetail = "full" | "short"

/** The guarantee of this request, in place of the account's. */
export interface GuaranteeRequest {
  /** The model that is recommended until the evidence speaks for a cheaper one. */
  readonly baseline_model_id: string
  /** Largest difference of success to the baseline that is accepted, in [0.01, 0.5]. Default: `0.05`. */
  readonly max_quality_loss?: number | undefined
  /** Probability that the promise holds at all times, in [0.5, 0.999]. Default: `0.95`. */
  readonly confidence?: number | undefined
  /**
   * Largest share of tasks on which a trial draws another model, in [0, 0.5]. Null: 0.2 under
   * `epsilon_softmax`, none under `argmin`.
   */
  readonly trial_share?: number | null | undefined
  /**
   * Whether you run both the baseline and `guarantee.candidate_model_id` of the answer, whatever either
   * comes to, and report both: such pairs count most. Default: `false`.
   */
  readonly paired?: boolean | undefined
}

/**
 * What a program saw in a request by itself: a model that is known not to do it is no candidate; one
 * of which it is not known stays, with the warning `capability_unknown:<id>` where it is the pick.
 * What you declare yourself belongs to `constraints`.
 */
export interface InferredRequirements {
  /** Kinds of input that the prompt has. */
  readonly modalities?: ReadonlyArray<Modality> | null | undefined
  /** Whether it has tools. Default: `false`. */
  readonly tools?: boolean | undefined
  /** Whether it asks for a JSON schema. Default: `false`. */
  readonly structured_output?: boolean | undefined
}

/** An earlier attempt at the task. It teaches nothing: reports do. */
export interface TaskAttempt {
  /** The recommendation that was followed: Sextant knows its model, its effort and what was reported. */
  readonly recommendation_id?: string | null | undefined
  /** The model that ran; read where `recommendation_id` is left out or unknown. */
  readonly model_id?: string | null | undefined
  /** Its level of reasoning effort. */
  readonly effort?: string | null | undefined
  /**
   * What the attempt came to; read where nothing was reported of `recommendation_id`. A `partial`, or
   * none, says nothing about the task.
   */
  readonly outcome?: Outcome | null | undefined
  /** Who judged it; `none`: nobody did. */
  readonly evidence_source?: EvidenceSource | null | undefined
  /** Why it failed; `infra`, an outage, says nothing about the task. */
  readonly error_cause?: ErrorCause | null | undefined
}

/** How a call went. */
export type Outcome = "success" | "partial" | "failure"

/**
 * Where a label comes from: `gate`, a deterministic check passed; `judge`, a model scored it;
 * `human`, a person said so whom you know; `vote`, a reader whom you do not know; `none`, no label,
 * so that only cost and latency count.
 */
export type EvidenceSource = "gate" | "judge" | "human" | "vote" | "none"

/**
 * Why a call failed: `infra`, a fault of the provider or of tools, which is never learned as the
 * model's; or `quality`.
 */
export type ErrorCause = "infra" | "quality"

/** You can tell a wrong result before it matters, and try again: without it a plan has one attempt. */
export interface Verification {
  /** How a result is checked. */
  readonly kind: VerificationKind
  /**
   * Probability that a wrong result passes, in [0, 0.5]; 0.02 for a gate, 0.15 for a judge and 0.05 for
   * a human when left out.
   */
  readonly pass_wrong?: number | null | undefined
  /** Probability that a right result fails, in [0, 0.5]; 0.02, 0.10 and 0.05 when left out. */
  readonly fail_right?: number | null | undefined
  /** What one check costs, in US dollars; 0 when left out. */
  readonly cost_usd?: number | null | undefined
}

/**
 * How you check a result before you use it: `gate`, a deterministic check; `judge`, a model; `human`,
 * a person; `none`, not at all.
 */
export type VerificationKind = "gate" | "judge" | "human" | "none"

/** The model to run, and why. */
export interface RecommendResponse {
  /** The id to report the outcome with. */
  readonly recommendation_id: string
  /** The model to run. */
  readonly recommended_model: RankedModel
  /**
   * In a short answer, the place of the recommended model in `ranked`, which leaves it out there: 1 is
   * before its first entry. Absent in full.
   */
  readonly recommended_rank?: number | undefined
  /** Every candidate, best score first; in a short answer, every other than the recommended model. */
  readonly ranked: ReadonlyArray<RankedModel>
  /** The model to try when the recommended one fails; null when none is likelier. */
  readonly fallback_model: RankedModel | null
  /** How much is known about the recommended model on such tasks. */
  readonly confidence: number
  /** What the pick rests on. */
  readonly decision_basis: DecisionBasis
  /** The predicted success that a model had to reach. */
  readonly threshold_used: number
  /**
   * What a right result counted as worth, in US dollars: the pick is worth most, at that times its
   * success less its cost. Null where it is the cheapest that reaches the threshold.
   */
  readonly success_value_used_usd?: number | null | undefined
  /** The kind of task that was used. */
  readonly classified_task_type: TaskType
  /**
   * The level that predictions and costs use: yours, the reasoner's, or `trivial` or `expert` where the
   * text surely shows it; else `medium`.
   */
  readonly classified_difficulty: Difficulty
  /** Version of the catalog that was used. */
  readonly catalog_version: string
  /** Whether the catalog's prices are too old to be trusted. */
  readonly catalog_stale: boolean
  /** Time that the recommendation took in the service, in milliseconds. */
  readonly latency_ms: number
  /**
   * What the answer had to do without, and what to know of it. The warnings of this version; ignore
   * those that you do not know.
   */
  readonly warnings: ReadonlyArray<
    | "cold_start"
    | "recall_timeout"
    | "memory_unavailable"
    | "prices_stale"
    | "no_model_meets_threshold"
    | "no_model_within_cost_budget"
    | "no_model_within_latency_budget"
    | "no_latency_history"
    | "no_model_worth_its_cost"
    | "memory_drift:repeated"
    | "memory_drift:stagnant"
    | "exploration_pick"
    | "reasoner_consulted"
    | "reasoner_failed"
    | "reasoner_disabled"
    | "llm_classified"
    | "embedder_failed"
    | "account_models_unavailable"
    | "account_settings_unavailable"
    | "lane_numbers_unavailable"
    | "budget_paced"
    | "budget_unavailable"
    | "attempts_unavailable"
    | "guarantee_unavailable"
    | "guarantee_baseline_unavailable"
    | "guarantee_needs_trials"
    | "vote_token_unavailable"
    | (string & {})>
  /** How the pick was made. */
  readonly selection_policy: SelectionPolicy
  /** The guarantee that the pick was made under; null without one. */
  readonly guarantee?: GuaranteeStatus | null | undefined
  /**
   * The attempts to make from now on; null for a request without `attempts`, `verification` and
   * `max_total_cost_usd`.
   */
  readonly plan?: AttemptPlan | null | undefined
  /** Which attempt at the task the recommended model makes, from 1; null without a plan. */
  readonly attempt_number?: number | null | undefined
  /** Whether the recommended model has run at this task before; null without a plan. */
  readonly is_retry?: boolean | null | undefined
  /**
   * Why the pick leaves the incumbent, or keeps it; null without one, and where nothing speaks for
   * another.
   */
  readonly switch_reason?: SwitchReason | null | undefined
  /**
   * With it the reader of the model's answer votes, at `POST /v1/votes/{token}`, for 7 days. Only for a
   * request with `vote`; null where none could be made.
   */
  readonly vote_token?: string | null | undefined
  /** Nearly free ways to save on this call, such as `enable_prompt_cache`. */
  readonly recommended_actions: ReadonlyArray<string>
}

/** One scored candidate. */
export interface RankedModel {
  /** The model's id in the catalog. */
  readonly model_id: string
  /**
   * The level of reasoning effort to call the model with; null where the choice is yours, because no
   * candidate names a level.
   */
  readonly effort?: string | null | undefined
  /**
   * The model's id as the request spelled it first, among `candidate_models`, else as incumbent or
   * baseline, with the level of effort where it named one; under `data_regions` the id of the offering
   * that was chosen, to be called in place of `model_id`; null when the request did not name the model,
   * and absent in a short answer that would repeat `model_id`.
   */
  readonly requested_model_id?: string | null | undefined
  /** The model's provider. */
  readonly provider: string
  /** Probability that the model succeeds at the task. */
  readonly predicted_success: number
  /** Estimated cost of the call, in US dollars, on one basis for all candidates. */
  readonly est_cost_usd: number
  /** The parts of `est_cost_usd`, which add up to it. Absent in a short answer. */
  readonly est_cost_breakdown?: CostBreakdown | undefined
  /** Lower end of the cost's band, in US dollars. Absent in a short answer. */
  readonly est_cost_low?: number | null | undefined
  /** Upper end of the cost's band, in US dollars. Absent in a short answer. */
  readonly est_cost_high?: number | null | undefined
  /** How the band was derived; empty when there is none. Absent in a short answer. */
  readonly cost_band_basis?: string | undefined
  /** Width of the 95 % interval of `predicted_success`. Absent in a short answer. */
  readonly success_interval_width?: number | undefined
  /** Success against cost, weighed by the slider; `ranked` is sorted by it. Absent in a short answer. */
  readonly score?: number | undefined
  /** Why this model is the pick, or is not, in one sentence. Absent in a short answer. */
  readonly rationale?: string | undefined
  /** What this model's prediction rests on. Absent in a short answer. */
  readonly decision_basis?: DecisionBasis | undefined
  /**
   * Past outcomes behind the prediction, heaviest first; empty without `explain`. Absent in a short
   * answer.
   */
  readonly evidence?: ReadonlyArray<EvidenceRef> | undefined
  /** Whether the provider caches prompts of this model. Absent in a short answer. */
  readonly supports_prompt_caching?: boolean | undefined
  /** The model's context window, in tokens. Absent in a short answer. */
  readonly context_window?: number | undefined
  /**
   * What the choice counted in place of `est_cost_usd`: 0 while tokens of the model are paid already
   * (`prepaid_tokens`), in US dollars; null where it counted that.
   */
  readonly marginal_cost_usd?: number | null | undefined
  /** Observed latency of similar tasks, in milliseconds; null without history. Absent in a short answer. */
  readonly est_latency_ms?: number | null | undefined
  /** Which statistic `est_latency_ms` is; empty without a history. Absent in a short answer. */
  readonly latency_basis?: string | undefined
  /** Median of that latency, in milliseconds; null without history. Absent in a short answer. */
  readonly est_latency_p50_ms?: number | null | undefined
  /**
   * Median time to the first token on similar tasks, in milliseconds; null without history. Absent in a
   * short answer.
   */
  readonly est_time_to_first_token_p50_ms?: number | null | undefined
  /**
   * 75th percentile of the time to the first token, in milliseconds; null without history. Absent in a
   * short answer.
   */
  readonly est_time_to_first_token_p75_ms?: number | null | undefined
}

/**
 * Parts of a cost in US dollars by name: `input` and `output`, beside the ratio `learned_ratio` where
 * outcomes moved the output expected of a call, or both parts of a run; or `observed_avg`; or
 * `rescaled`, beside the tokens `obs_output_tokens` that it was computed with.
 */
export type CostBreakdown = Readonly<Record<string, number>>

/** What a prediction rests on: the account's outcomes, a prior alone, or a reasoner's opinion. */
export type DecisionBasis = "memory" | "prior" | "llm"

/** A past outcome that informed a prediction. */
export interface EvidenceRef {
  /** The entry in the account's memory; `seed:` begins the id of a benchmark's result. */
  readonly entry_id: string
  /** A stable reference of the entry. */
  readonly reference_id: string | null
  /** The model that the outcome is about. */
  readonly model_id: string
  /** The level of reasoning effort of that model; absent where it has none. */
  readonly effort?: string | undefined
  /** Similarity to the task, a cosine in [-1, 1]; 0 for a benchmark's result. */
  readonly score: number
  /** How reliable the memory holds the entry to be. */
  readonly knowledge_confidence: number
  /** Recorded quality of the outcome. */
  readonly observed_success: number
  /** Whether the entry is too old to weigh much. */
  readonly is_stale: boolean
}

/**
 * How the pick is made: `argmin`, always the cheapest that reaches the threshold; or
 * `epsilon_softmax`, now and then another that does.
 */
export type SelectionPolicy = "argmin" | "epsilon_softmax"

/** The guarantee that a recommendation was made under. */
export interface GuaranteeStatus {
  /** Whether a cheaper model is recommended. */
  readonly state: GuaranteeState
  /** The baseline's id in the catalog. */
  readonly baseline_model_id: string
  /** The cheaper model that is held or on trial; null without one. */
  readonly candidate_model_id: string | null
  /** The loss that counts, with three decimals. */
  readonly max_quality_loss: number
  /** The confidence that counts, with three decimals. */
  readonly confidence: number
  /** Whether the recommended model was drawn to gather evidence, in place of the usual one. */
  readonly is_trial: boolean
  /** Outcomes of trials that were reported, of both models. */
  readonly outcomes: number
  /**
   * About how many more it takes until the candidate is held, if it goes on as it went; null where that
   * is not in sight, and where it is held.
   */
  readonly outcomes_needed: number | null
  /**
   * The smallest difference of success that the evidence rules out to be exceeded, of a few that are
   * tested; null for none.
   */
  readonly proven_loss: number | null
  /**
   * When the candidate or the baseline last came to stand for another model, ISO 8601: trials before it
   * do not count. Null where neither did.
   */
  readonly evidence_since: string | null
}

/**
 * `held`: a cheaper model is recommended, within the loss; `earning`: the baseline is, while evidence
 * is gathered; `withdrawn`: the baseline is again, because the evidence turned.
 */
export type GuaranteeState = "held" | "earning" | "withdrawn"

/** The order of attempts that is worth most. */
export interface AttemptPlan {
  /**
   * The attempts in their order, each for when those before it failed. Empty: nothing is worth trying;
   * `recommended_model` is then the best that remains.
   */
  readonly attempts: ReadonlyArray<PlanAttempt>
  /** Probability that one of them is accepted and right. */
  readonly expected_success: number
  /** What they are expected to cost together, in US dollars. */
  readonly expected_cost_usd: number
  /** Why the plan has no further attempt. */
  readonly stop_reason: PlanStop
}

/** One attempt of a plan. */
export interface PlanAttempt {
  /** The model's id in the catalog. */
  readonly model_id: string
  /** Its id as the request spelled it; null when the request did not name it. */
  readonly requested_model_id: string | null
  /** The level of reasoning effort; null where it is yours. */
  readonly effort: string | null
  /** Probability that this attempt succeeds, given that all before it failed. */
  readonly predicted_success: number
  /** Estimated cost of this attempt with its check, in US dollars. */
  readonly est_cost_usd: number
  /** Probability that some attempt up to this one is accepted and right. */
  readonly cumulative_success: number
  /** Expected cost of the attempts up to this one, in US dollars: not all may be needed. */
  readonly cumulative_cost_usd: number
}

/**
 * Why a plan ends: `threshold_reached`, it reaches the threshold; `not_worth_it`, no further attempt
 * is worth its cost; `max_attempts` and `max_total_cost`, the request allows no more.
 */
export type PlanStop = 
  | "threshold_reached"
  | "not_worth_it"
  | "max_attempts"
  | "max_total_cost"

/**
 * Why the pick is another model than the incumbent: it costs or takes less (`cost`); the incumbent
 * succeeds too rarely for what is asked (`threshold`), may not run the task (`capability`), has run
 * at it (`failed_attempt`), or cannot be called now (`health`). Or why it stays although another
 * model would have been picked: its prompt cache is warm (`warm_cache`), or the evidence cannot tell
 * the two apart (`within_noise`).
 */
export type SwitchReason = 
  | "cost"
  | "threshold"
  | "capability"
  | "failed_attempt"
  | "health"
  | "warm_cache"
  | "within_noise"

/** How a call went, and what it took. */
export interface FeedbackRequest {
  /** The id of a recommendation, or of a step of a workflow. */
  readonly recommendation_id: string
  /**
   * The model that ran, which may differ from the recommended one. When left out, the model that was
   * reported last for the recommendation; before any report, the baseline of a decision in shadow, and
   * of any other decision the recommended model.
   */
  readonly chosen_model_id?: string | null | undefined
  /** How the call went. */
  readonly outcome: Outcome
  /** Quality of the result; 0.9, 0.5 or 0.1 by `outcome` when left out. */
  readonly quality_score?: number | null | undefined
  /** Where the label comes from. */
  readonly evidence_source?: EvidenceSource | null | undefined
  /**
   * Why the call failed. When left out, `infra` with a `provider_status` of 408, 409, 429 or 500 and
   * more.
   */
  readonly error_cause?: ErrorCause | null | undefined
  /** HTTP status with which the provider refused the call. */
  readonly provider_status?: number | null | undefined
  /** How long the provider asked to wait before the next call, in milliseconds. */
  readonly retry_after_ms?: number | null | undefined
  /** Input tokens that were billed. */
  readonly input_tokens?: number | null | undefined
  /** The part of `input_tokens` that a prompt cache held. */
  readonly cached_input_tokens?: number | null | undefined
  /** Output tokens that were billed, reasoning tokens included. */
  readonly output_tokens?: number | null | undefined
  /** The part of `output_tokens` that was spent on reasoning. */
  readonly reasoning_tokens?: number | null | undefined
  /** Cost that was billed, in US dollars, not an estimate. An explicit 0 counts as a measurement. */
  readonly actual_cost_usd?: number | null | undefined
  /** Latency of the call, in milliseconds. */
  readonly latency_ms?: number | null | undefined
  /** Time to the first token of the answer, in milliseconds. */
  readonly time_to_first_token_ms?: number | null | undefined
  /** Turns of an agent until the end. */
  readonly iterations?: number | null | undefined
  /**
   * Level of reasoning effort that was used. Where a candidate of the recommendation is the model at
   * one level, it says which one the outcome is of; when left out there, the recommended one.
   */
  readonly chosen_effort?: string | null | undefined
  /** How the steps of the run went; the first 32 are read. */
  readonly step_outcomes?: ReadonlyArray<StepOutcome> | undefined
  /** Deprecated: send `evidence_source` with `gate` instead. Default: `false`. */
  readonly verified_in_production?: boolean | undefined
  /** Deprecated: false is `evidence_source` with `none`. */
  readonly judged?: boolean | null | undefined
  /**
   * Your name of the task, at most 128 characters. In reports, recommendations of one task are attempts
   * at it. Left out, those are that `attempts` name.
   */
  readonly task_id?: string | null | undefined
  /** What went wrong or well, in your words. */
  readonly notes?: string | null | undefined
  /** Reports with the same key count once; derived from recommendation and model when left out. */
  readonly idempotency_key?: string | null | undefined
}

/** How one step of an agent's run went. */
export interface StepOutcome {
  /** Your name of the step. */
  readonly step_id: string
  /** The step's name for people. */
  readonly step_name?: string | null | undefined
  /** How the step went. */
  readonly outcome: Outcome
  /** Reward of the step; derived from `outcome` when left out. */
  readonly signal?: number | null | undefined
  /** Why, for example which check verified it. */
  readonly rationale?: string | null | undefined
  /** A hint for such tasks to come. */
  readonly directive_hint?: string | null | undefined
}

/** What became of a report. */
export interface FeedbackResponse {
  /** Whether the outcome is durable; `warnings` say why not. */
  readonly accepted: boolean
  /** Id of the record of outcomes that it went into. */
  readonly record_id: string | null
  /** Entries of memory that were credited for the pick. */
  readonly reinforced_entry_ids: ReadonlyArray<string>
  /** Mean reliability of those entries afterwards; null when none was credited. */
  readonly updated_confidence: number | null
  /** Whether a reflection on the lane was triggered. */
  readonly reflection_triggered: boolean
  /** Whether a lesson was promoted. */
  readonly lesson_promoted: boolean
  /** Step outcomes that went into memory, count. */
  readonly step_outcomes_recorded: number
  /** What the cost of this model's call rests on; null when no cost is known. */
  readonly cost_source?: CostSource | null | undefined
  /** That cost by list prices, in US dollars, where no bill was reported. */
  readonly computed_cost_usd?: number | null | undefined
  /**
   * What was changed, left out or could not be done. The warnings of this version; ignore those that
   * you do not know.
   */
  readonly warnings: ReadonlyArray<
    | "unknown_recommendation"
    | "memory_write_failed"
    | "reinforcement_failed"
    | "lesson_promotion_failed"
    | "quality_outcome_mismatch"
    | "late_feedback_no_attribution"
    | "step_outcomes_partial"
    | "idempotency_key_reused"
    | "outcome_replaced"
    | "outcome_outranked"
    | "chosen_models_capped"
    | "cost_outlier"
    | "unknown_effort"
    | "other_task"
    | (string & {})>
}

/** Whether a cost is the bill that was reported, or computed from tokens and list prices. */
export type CostSource = "reported" | "computed"
