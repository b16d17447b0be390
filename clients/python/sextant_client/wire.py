"""Types of what the API reads and answers.

Generated from the OpenAPI document by `npm run python-types`; not to be edited by hand.
"""

from typing import Dict, List, Literal, Optional, TypedDict

__all__ = [
    "AnswerDetail",
    "AttemptPlan",
    "Constraints",
    "CostBreakdown",
    "CostSource",
    "DecisionBasis",
    "Difficulty",
    "ErrorCause",
    "EvidenceRef",
    "EvidenceSource",
    "FeedbackRequest",
    "FeedbackResponse",
    "GuaranteeRequest",
    "GuaranteeState",
    "GuaranteeStatus",
    "InferredRequirements",
    "Modality",
    "OptimizeFor",
    "Outcome",
    "PlanAttempt",
    "PlanStop",
    "RankedModel",
    "RecommendRequest",
    "RecommendResponse",
    "SelectionPolicy",
    "StepOutcome",
    "SwitchReason",
    "TaskAttempt",
    "TaskInput",
    "TaskType",
    "Unit",
    "Verification",
    "VerificationKind",
]


# Kind of task.
TaskType = Literal[
    "code",
    "summarization",
    "extraction",
    "qa",
    "reasoning",
    "classification",
    "translation",
    "creative",
    "rag",
    "tool_use",
    "other",
]


# Difficulty of a task.
Difficulty = Literal["trivial", "easy", "medium", "hard", "expert"]


# What is paid for a task: one `call` of a model; or a `run` of an agent, which makes many calls and
# reads most of its input from the prompt cache.
Unit = Literal["call", "run"]


class _TaskInputRequired(TypedDict):
    # The task or prompt, not empty. At most its first 3,000 and last 1,000 characters are kept.
    task: str


class TaskInput(_TaskInputRequired, total=False):
    """A task for which a model is wanted."""

    # Kind of task; classified from the text when left out.
    task_type: Optional[TaskType]
    # Difficulty; classified from the text when left out.
    difficulty: Optional[Difficulty]
    # What is paid for: one `call`, or a `run` of an agent. Costs and latencies are of this unit,
    # and learned from tasks of the same unit. Default: `"call"`.
    unit: Unit
    # Input tokens of the call, or of all calls of the run, for its estimated cost; else the default
    # of the task type, or of runs.
    expected_input_tokens: Optional[int]
    # Output tokens, likewise.
    expected_output_tokens: Optional[int]
    # Environment of the task, such as `lang:python`: outcomes with the same tags weigh more.
    tags: List[str]


# A kind of input beside text; `file` is a document, such as a PDF.
Modality = Literal["image", "audio", "file"]


class Constraints(TypedDict, total=False):
    """Limits on the models that may be recommended. Every field is optional; an unknown one is a 400."""

    # Only models of these providers.
    allowed_providers: Optional[List[str]]
    # Only these models, by id or alias; `<model>#<effort>` is a model at one level of reasoning
    # effort.
    candidate_models: Optional[List[str]]
    # None of these models, by id or alias; with `#<effort>` only that level of reasoning effort of
    # a model.
    excluded_models: Optional[List[str]]
    # Highest estimated cost of the call, in US dollars; relaxed with a warning rather than leave no
    # model.
    max_cost_per_call: Optional[float]
    # Least predicted success; raises the threshold.
    min_quality: Optional[float]
    # Highest 75th percentile of latency on similar tasks, in milliseconds. A model without latency
    # history stays.
    max_latency_ms: Optional[int]
    # Only models with at least this context, in tokens.
    require_context_window: Optional[int]
    # Only models that take all of these; one that is not known to is no candidate.
    required_modalities: Optional[List[Modality]]
    # Only models that process requests in these regions or data zones and nowhere else; words are
    # compared, so name each that you allow (`eu`, `eu-west-1`); one that is not known to is no
    # candidate.
    data_regions: Optional[List[str]]
    # Only models that support prompt caching; each is then priced with a warm cache. Default:
    # `false`.
    require_prompt_caching: bool
    # Only models that call tools; one that is not known to is no candidate. Default: `false`.
    require_tools: bool
    # Only models whose answers can be held to a JSON schema; one that is not known to is no
    # candidate. Default: `false`.
    require_structured_output: bool


# What is kept low among the models that reach the threshold: the `cost` of the call, or its
# `latency`.
OptimizeFor = Literal["cost", "latency"]


# How much an answer says of each model: `full`; or `short`, its ids, provider, prediction and cost
# alone, and the recommended model once.
AnswerDetail = Literal["full", "short"]


class _GuaranteeRequestRequired(TypedDict):
    # The model that is recommended until the evidence speaks for a cheaper one.
    baseline_model_id: str


class GuaranteeRequest(_GuaranteeRequestRequired, total=False):
    """The guarantee of this request, in place of the account's."""

    # Largest difference of success to the baseline that is accepted, in [0.01, 0.5]. Default:
    # `0.05`.
    max_quality_loss: float
    # Probability that the promise holds at all times, in [0.5, 0.999]. Default: `0.95`.
    confidence: float
    # Largest share of tasks on which a trial draws another model, in [0, 0.5]. Null: 0.2 under
    # `epsilon_softmax`, none under `argmin`.
    trial_share: Optional[float]
    # Whether you run both the baseline and `guarantee.candidate_model_id` of the answer, whatever
    # either comes to, and report both: such pairs count most. Default: `false`.
    paired: bool


class InferredRequirements(TypedDict, total=False):
    """What a program saw in a request by itself: a model that is known not to do it is no candidate; one of which it is not known stays, with the warning `capability_unknown:<id>` where it is the pick. What you declare yourself belongs to `constraints`."""

    # Kinds of input that the prompt has.
    modalities: Optional[List[Modality]]
    # Whether it has tools. Default: `false`.
    tools: bool
    # Whether it asks for a JSON schema. Default: `false`.
    structured_output: bool


# How a call went.
Outcome = Literal["success", "partial", "failure"]


# Where a label comes from: `gate`, a deterministic check passed; `judge`, a model scored it;
# `human`, a person said so whom you know; `vote`, a reader whom you do not know; `none`, no label,
# so that only cost and latency count.
EvidenceSource = Literal["gate", "judge", "human", "vote", "none"]


# Why a call failed: `infra`, a fault of the provider or of tools, which is never learned as the
# model's; or `quality`.
ErrorCause = Literal["infra", "quality"]


class TaskAttempt(TypedDict, total=False):
    """An earlier attempt at the task. It teaches nothing: reports do."""

    # The recommendation that was followed: Sextant knows its model, its effort and what was
    # reported.
    recommendation_id: Optional[str]
    # The model that ran; read where `recommendation_id` is left out or unknown.
    model_id: Optional[str]
    # Its level of reasoning effort.
    effort: Optional[str]
    # What the attempt came to; read where nothing was reported of `recommendation_id`. A `partial`,
    # or none, says nothing about the task.
    outcome: Optional[Outcome]
    # Who judged it; `none`: nobody did.
    evidence_source: Optional[EvidenceSource]
    # Why it failed; `infra`, an outage, says nothing about the task.
    error_cause: Optional[ErrorCause]


# How you check a result before you use it: `gate`, a deterministic check; `judge`, a model;
# `human`, a person; `none`, not at all.
VerificationKind = Literal["gate", "judge", "human", "none"]


class _VerificationRequired(TypedDict):
    # How a result is checked.
    kind: VerificationKind


class Verification(_VerificationRequired, total=False):
    """You can tell a wrong result before it matters, and try again: without it a plan has one attempt."""

    # Probability that a wrong result passes, in [0, 0.5]; 0.02 for a gate, 0.15 for a judge and
    # 0.05 for a human when left out.
    pass_wrong: Optional[float]
    # Probability that a right result fails, in [0, 0.5]; 0.02, 0.10 and 0.05 when left out.
    fail_right: Optional[float]
    # What one check costs, in US dollars; 0 when left out.
    cost_usd: Optional[float]


class _RecommendRequestRequired(TypedDict):
    # The task that the model is to run.
    task: TaskInput


class RecommendRequest(_RecommendRequestRequired, total=False):
    """A task, and what a recommendation for it must respect."""

    # The slider between cost and quality, which sets the threshold: 0 is the cheapest acceptable
    # model, 10 the best at any cost. A value of success takes its place. Default: `5`.
    cost_quality_tradeoff: float
    # Limits on the models that may be recommended.
    constraints: Constraints
    # An actor within the account; its own outcomes are recalled.
    user_id: Optional[str]
    # A part of the account that recalls and learns on its own; null is the lane `sextant:default`.
    namespace: Optional[str]
    # Most models that are scored. Default: `8`.
    max_candidates: int
    # Whether a reasoner may be asked when the choice is in doubt. Default: `true`.
    allow_llm_escalation: bool
    # Whether each ranked model carries its `evidence`. Default: `true`.
    explain: bool
    # `latency` picks the fastest of the models that reach the threshold, by the latency that was
    # reported of similar tasks, in place of the cheapest. Default: `"cost"`.
    optimize_for: OptimizeFor
    # `short` says of each model its ids, provider, prediction and cost alone, and leaves out what
    # is null; `ranked` does not repeat the recommended model, whose place is `recommended_rank`.
    # Default: `"full"`.
    detail: AnswerDetail
    # Whether you run your own default, whatever the answer is. The answer is the same; the decision
    # is marked, and no report counts it as a saving. Report the model that ran: its outcome
    # teaches. Default: `false`.
    shadow: bool
    # The model that you would use without the service; savings are reported against it.
    baseline_model_id: Optional[str]
    # The model that holds a warm prompt cache of this conversation: priced with it, and kept where
    # the evidence cannot tell it from the pick.
    incumbent_model_id: Optional[str]
    # A cheaper model only once its success is known to be within a loss of a baseline's; null: the
    # account's own guarantee, if it has one.
    guarantee: Optional[GuaranteeRequest]
    # Whether the answer carries a `vote_token`. Default: `false`.
    vote: bool
    # What your program saw in the request by itself; null: nothing.
    inferred_requirements: Optional[InferredRequirements]
    # Your name of the task, at most 128 characters. In reports, recommendations of one task are
    # attempts at it. Left out, those are that `attempts` name.
    task_id: Optional[str]
    # What was tried at this very task, in order: models are predicted given what it came to.
    attempts: List[TaskAttempt]
    # How you check a result; with it the answer has a `plan` of several attempts.
    verification: Optional[Verification]
    # What a right result is worth to you, in US dollars: the pick, or the plan, maximises that
    # times its success, less its cost, in place of `cost_quality_tradeoff` and `optimize_for`.
    # Null: the account's own value; without one the cheapest that reaches the threshold.
    success_value_usd: Optional[float]
    # Most attempts of the plan, counted from now on. Default: `3`.
    max_attempts: int
    # Most that the plan's attempts may cost together from now on, in US dollars.
    max_total_cost_usd: Optional[float]


# Parts of a cost in US dollars by name: `input` and `output`, beside the ratio `learned_ratio`
# where outcomes moved the output expected of a call, or both parts of a run; or `observed_avg`; or
# `rescaled`, beside the tokens `obs_output_tokens` that it was computed with.
CostBreakdown = Dict[str, float]


# What a prediction rests on: the account's outcomes, a prior alone, or a reasoner's opinion.
DecisionBasis = Literal["memory", "prior", "llm"]


class _EvidenceRefRequired(TypedDict):
    # The entry in the account's memory; `seed:` begins the id of a benchmark's result.
    entry_id: str
    # A stable reference of the entry.
    reference_id: Optional[str]
    # The model that the outcome is about.
    model_id: str
    # Similarity to the task, a cosine in [-1, 1]; 0 for a benchmark's result.
    score: float
    # How reliable the memory holds the entry to be.
    knowledge_confidence: float
    # Recorded quality of the outcome.
    observed_success: float
    # Whether the entry is too old to weigh much.
    is_stale: bool


class EvidenceRef(_EvidenceRefRequired, total=False):
    """A past outcome that informed a prediction."""

    # The level of reasoning effort of that model; absent where it has none.
    effort: str


class _RankedModelRequired(TypedDict):
    # The model's id in the catalog.
    model_id: str
    # The model's provider.
    provider: str
    # Probability that the model succeeds at the task.
    predicted_success: float
    # Estimated cost of the call, in US dollars, on one basis for all candidates.
    est_cost_usd: float


class RankedModel(_RankedModelRequired, total=False):
    """One scored candidate."""

    # The level of reasoning effort to call the model with; null where the choice is yours, because
    # no candidate names a level.
    effort: Optional[str]
    # The model's id as the request spelled it first, among `candidate_models`, else as incumbent or
    # baseline, with the level of effort where it named one; under `data_regions` the id of the
    # offering that was chosen, to be called in place of `model_id`; null when the request did not
    # name the model, and absent in a short answer that would repeat `model_id`.
    requested_model_id: Optional[str]
    # The parts of `est_cost_usd`, which add up to it. Absent in a short answer.
    est_cost_breakdown: CostBreakdown
    # Lower end of the cost's band, in US dollars. Absent in a short answer.
    est_cost_low: Optional[float]
    # Upper end of the cost's band, in US dollars. Absent in a short answer.
    est_cost_high: Optional[float]
    # How the band was derived; empty when there is none. Absent in a short answer.
    cost_band_basis: str
    # Width of the 95 % interval of `predicted_success`. Absent in a short answer.
    success_interval_width: float
    # Success against cost, weighed by the slider; `ranked` is sorted by it. Absent in a short
    # answer.
    score: float
    # Why this model is the pick, or is not, in one sentence. Absent in a short answer.
    rationale: str
    # What this model's prediction rests on. Absent in a short answer.
    decision_basis: DecisionBasis
    # Past outcomes behind the prediction, heaviest first; empty without `explain`. Absent in a
    # short answer.
    evidence: List[EvidenceRef]
    # Whether the provider caches prompts of this model. Absent in a short answer.
    supports_prompt_caching: bool
    # The model's context window, in tokens. Absent in a short answer.
    context_window: int
    # What the choice counted in place of `est_cost_usd`: 0 while tokens of the model are paid
    # already (`prepaid_tokens`), in US dollars; null where it counted that.
    marginal_cost_usd: Optional[float]
    # Observed latency of similar tasks, in milliseconds; null without history. Absent in a short
    # answer.
    est_latency_ms: Optional[float]
    # Which statistic `est_latency_ms` is; empty without a history. Absent in a short answer.
    latency_basis: str
    # Median of that latency, in milliseconds; null without history. Absent in a short answer.
    est_latency_p50_ms: Optional[float]
    # Median time to the first token on similar tasks, in milliseconds; null without history. Absent
    # in a short answer.
    est_time_to_first_token_p50_ms: Optional[float]
    # 75th percentile of the time to the first token, in milliseconds; null without history. Absent
    # in a short answer.
    est_time_to_first_token_p75_ms: Optional[float]


# How the pick is made: `argmin`, always the cheapest that reaches the threshold; or
# `epsilon_softmax`, now and then another that does.
SelectionPolicy = Literal["argmin", "epsilon_softmax"]


# `held`: a cheaper model is recommended, within the loss; `earning`: the baseline is, while
# evidence is gathered; `withdrawn`: the baseline is again, because the evidence turned.
GuaranteeState = Literal["held", "earning", "withdrawn"]


class GuaranteeStatus(TypedDict):
    """The guarantee that a recommendation was made under."""

    # Whether a cheaper model is recommended.
    state: GuaranteeState
    # The baseline's id in the catalog.
    baseline_model_id: str
    # The cheaper model that is held or on trial; null without one.
    candidate_model_id: Optional[str]
    # The loss that counts, with three decimals.
    max_quality_loss: float
    # The confidence that counts, with three decimals.
    confidence: float
    # Whether the recommended model was drawn to gather evidence, in place of the usual one.
    is_trial: bool
    # Outcomes of trials that were reported, of both models.
    outcomes: int
    # About how many more it takes until the candidate is held, if it goes on as it went; null where
    # that is not in sight, and where it is held.
    outcomes_needed: Optional[int]
    # The smallest difference of success that the evidence rules out to be exceeded, of a few that
    # are tested; null for none.
    proven_loss: Optional[float]
    # When the candidate or the baseline last came to stand for another model, ISO 8601: trials
    # before it do not count. Null where neither did.
    evidence_since: Optional[str]


class PlanAttempt(TypedDict):
    """One attempt of a plan."""

    # The model's id in the catalog.
    model_id: str
    # Its id as the request spelled it; null when the request did not name it.
    requested_model_id: Optional[str]
    # The level of reasoning effort; null where it is yours.
    effort: Optional[str]
    # Probability that this attempt succeeds, given that all before it failed.
    predicted_success: float
    # Estimated cost of this attempt with its check, in US dollars.
    est_cost_usd: float
    # Probability that some attempt up to this one is accepted and right.
    cumulative_success: float
    # Expected cost of the attempts up to this one, in US dollars: not all may be needed.
    cumulative_cost_usd: float


# Why a plan ends: `threshold_reached`, it reaches the threshold; `not_worth_it`, no further attempt
# is worth its cost; `max_attempts` and `max_total_cost`, the request allows no more.
PlanStop = Literal["threshold_reached", "not_worth_it", "max_attempts", "max_total_cost"]


class AttemptPlan(TypedDict):
    """The order of attempts that is worth most."""

    # The attempts in their order, each for when those before it failed. Empty: nothing is worth
    # trying; `recommended_model` is then the best that remains.
    attempts: List[PlanAttempt]
    # Probability that one of them is accepted and right.
    expected_success: float
    # What they are expected to cost together, in US dollars.
    expected_cost_usd: float
    # Why the plan has no further attempt.
    stop_reason: PlanStop


# Why the pick is another model than the incumbent: it costs or takes less (`cost`); the incumbent
# succeeds too rarely for what is asked (`threshold`), may not run the task (`capability`), has run
# at it (`failed_attempt`), or cannot be called now (`health`). Or why it stays although another
# model would have been picked: its prompt cache is warm (`warm_cache`), or the evidence cannot tell
# the two apart (`within_noise`).
SwitchReason = Literal[
    "cost",
    "threshold",
    "capability",
    "failed_attempt",
    "health",
    "warm_cache",
    "within_noise",
]


class _RecommendResponseRequired(TypedDict):
    # The id to report the outcome with.
    recommendation_id: str
    # The model to run.
    recommended_model: RankedModel
    # Every candidate, best score first; in a short answer, every other than the recommended model.
    ranked: List[RankedModel]
    # The model to try when the recommended one fails; null when none is likelier.
    fallback_model: Optional[RankedModel]
    # How much is known about the recommended model on such tasks.
    confidence: float
    # What the pick rests on.
    decision_basis: DecisionBasis
    # The predicted success that a model had to reach.
    threshold_used: float
    # The kind of task that was used.
    classified_task_type: TaskType
    # The level that predictions and costs use: yours, the reasoner's, or `trivial` or `expert`
    # where the text surely shows it; else `medium`.
    classified_difficulty: Difficulty
    # Version of the catalog that was used.
    catalog_version: str
    # Whether the catalog's prices are too old to be trusted.
    catalog_stale: bool
    # Time that the recommendation took in the service, in milliseconds.
    latency_ms: int
    # What the answer had to do without, and what to know of it. The warnings of this version;
    # ignore those that you do not know.
    warnings: List[str]
    # How the pick was made.
    selection_policy: SelectionPolicy
    # Nearly free ways to save on this call, such as `enable_prompt_cache`.
    recommended_actions: List[str]


class RecommendResponse(_RecommendResponseRequired, total=False):
    """The model to run, and why."""

    # In a short answer, the place of the recommended model in `ranked`, which leaves it out there:
    # 1 is before its first entry. Absent in full.
    recommended_rank: int
    # What a right result counted as worth, in US dollars: the pick is worth most, at that times its
    # success less its cost. Null where it is the cheapest that reaches the threshold.
    success_value_used_usd: Optional[float]
    # The guarantee that the pick was made under; null without one.
    guarantee: Optional[GuaranteeStatus]
    # The attempts to make from now on; null for a request without `attempts`, `verification` and
    # `max_total_cost_usd`.
    plan: Optional[AttemptPlan]
    # Which attempt at the task the recommended model makes, from 1; null without a plan.
    attempt_number: Optional[int]
    # Whether the recommended model has run at this task before; null without a plan.
    is_retry: Optional[bool]
    # Why the pick leaves the incumbent, or keeps it; null without one, and where nothing speaks for
    # another.
    switch_reason: Optional[SwitchReason]
    # With it the reader of the model's answer votes, at `POST /v1/votes/{token}`, for 7 days. Only
    # for a request with `vote`; null where none could be made.
    vote_token: Optional[str]


class _StepOutcomeRequired(TypedDict):
    # Your name of the step.
    step_id: str
    # How the step went.
    outcome: Outcome


class StepOutcome(_StepOutcomeRequired, total=False):
    """How one step of an agent's run went."""

    # The step's name for people.
    step_name: Optional[str]
    # Reward of the step; derived from `outcome` when left out.
    signal: Optional[float]
    # Why, for example which check verified it.
    rationale: Optional[str]
    # A hint for such tasks to come.
    directive_hint: Optional[str]


class _FeedbackRequestRequired(TypedDict):
    # The id of a recommendation, or of a step of a workflow.
    recommendation_id: str
    # How the call went.
    outcome: Outcome


class FeedbackRequest(_FeedbackRequestRequired, total=False):
    """How a call went, and what it took."""

    # The model that ran, which may differ from the recommended one. When left out, the model that
    # was reported last for the recommendation; before any report, the baseline of a decision in
    # shadow, and of any other decision the recommended model.
    chosen_model_id: Optional[str]
    # Quality of the result; 0.9, 0.5 or 0.1 by `outcome` when left out.
    quality_score: Optional[float]
    # Where the label comes from.
    evidence_source: Optional[EvidenceSource]
    # Why the call failed. When left out, `infra` with a `provider_status` of 408, 409, 429 or 500
    # and more.
    error_cause: Optional[ErrorCause]
    # HTTP status with which the provider refused the call.
    provider_status: Optional[int]
    # How long the provider asked to wait before the next call, in milliseconds.
    retry_after_ms: Optional[int]
    # Input tokens that were billed.
    input_tokens: Optional[int]
    # The part of `input_tokens` that a prompt cache held.
    cached_input_tokens: Optional[int]
    # Output tokens that were billed, reasoning tokens included.
    output_tokens: Optional[int]
    # The part of `output_tokens` that was spent on reasoning.
    reasoning_tokens: Optional[int]
    # Cost that was billed, in US dollars, not an estimate. An explicit 0 counts as a measurement.
    actual_cost_usd: Optional[float]
    # Latency of the call, in milliseconds.
    latency_ms: Optional[int]
    # Time to the first token of the answer, in milliseconds.
    time_to_first_token_ms: Optional[int]
    # Turns of an agent until the end.
    iterations: Optional[int]
    # Level of reasoning effort that was used. Where a candidate of the recommendation is the model
    # at one level, it says which one the outcome is of; when left out there, the recommended one.
    chosen_effort: Optional[str]
    # How the steps of the run went; the first 32 are read.
    step_outcomes: List[StepOutcome]
    # Deprecated: send `evidence_source` with `gate` instead. Default: `false`.
    verified_in_production: bool
    # Deprecated: false is `evidence_source` with `none`.
    judged: Optional[bool]
    # Your name of the task, at most 128 characters. In reports, recommendations of one task are
    # attempts at it. Left out, those are that `attempts` name.
    task_id: Optional[str]
    # What went wrong or well, in your words.
    notes: Optional[str]
    # Reports with the same key count once; derived from recommendation and model when left out.
    idempotency_key: Optional[str]


# Whether a cost is the bill that was reported, or computed from tokens and list prices.
CostSource = Literal["reported", "computed"]


class _FeedbackResponseRequired(TypedDict):
    # Whether the outcome is durable; `warnings` say why not.
    accepted: bool
    # Id of the record of outcomes that it went into.
    record_id: Optional[str]
    # Entries of memory that were credited for the pick.
    reinforced_entry_ids: List[str]
    # Mean reliability of those entries afterwards; null when none was credited.
    updated_confidence: Optional[float]
    # Whether a reflection on the lane was triggered.
    reflection_triggered: bool
    # Whether a lesson was promoted.
    lesson_promoted: bool
    # Step outcomes that went into memory, count.
    step_outcomes_recorded: int
    # What was changed, left out or could not be done. The warnings of this version; ignore those
    # that you do not know.
    warnings: List[str]


class FeedbackResponse(_FeedbackResponseRequired, total=False):
    """What became of a report."""

    # What the cost of this model's call rests on; null when no cost is known.
    cost_source: Optional[CostSource]
    # That cost by list prices, in US dollars, where no bill was reported.
    computed_cost_usd: Optional[float]
