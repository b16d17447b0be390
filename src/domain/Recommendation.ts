/* The request and the answer of a recommendation. */
import { Schema } from "effect"
import { AttemptPlan, attemptsMax, plannedAttemptsMax, TaskAttempt, Verification } from "./Attempt.ts"
import { Constraints } from "./Constraints.ts"
import { EvidenceRef } from "./Evidence.ts"
import { GuaranteeRequest, GuaranteeStatus } from "./account/Guarantee.ts"
import { Namespace } from "./Scope.ts"
import { Difficulty, TaskInput, TaskType } from "./Task.ts"
import { taskId } from "./TaskKey.ts"
import { listOf } from "./text/Lists.ts"
import { Identifier } from "./text/Text.ts"
import { Probability, Slider, Usd, UsdSent } from "./Units.ts"
import { RecommendWarnings } from "./Warning.ts"
import { defaulted, described, nullable, wire } from "./wire/Wire.ts"

export const DecisionBasis = Schema.Literals(["memory", "prior", "llm"]).annotate({
  identifier: "DecisionBasis",
  description: "What a prediction rests on: the account's outcomes, a prior alone, or a reasoner's opinion."
})
export type DecisionBasis = typeof DecisionBasis.Type

export const SelectionPolicy = Schema.Literals(["argmin", "epsilon_softmax"])
  .annotate({
    identifier: "SelectionPolicy",
    description: "How the pick is made: `argmin`, always the cheapest that reaches the threshold; or "
      + "`epsilon_softmax`, now and then another that does."
  })
export type SelectionPolicy = typeof SelectionPolicy.Type

export const OptimizeFor = Schema.Literals(["cost", "latency"]).annotate({
  identifier: "OptimizeFor",
  description: "What is kept low among the models that reach the threshold: the `cost` of the call, or its "
    + "`latency`."
})
export type OptimizeFor = typeof OptimizeFor.Type

export const AnswerDetail = Schema.Literals(["full", "short"]).annotate({
  identifier: "AnswerDetail",
  description: "How much an answer says of each model: `full`; or `short`, where the models other than the "
    + "recommended one carry no `evidence`, `est_cost_breakdown` and `rationale`."
})
export type AnswerDetail = typeof AnswerDetail.Type

/** What the document says of the fields that a request for one task and one for a workflow share. */
export const fieldWords = {
  costQualityTradeoff: "The slider between cost and quality, which sets the threshold: 0 is the cheapest "
    + "acceptable model, 10 the best at any cost.",
  userId: "An actor within the account; its own outcomes are recalled.",
  namespace: "A part of the account that recalls and learns on its own; null is the lane `sextant:default`.",
  allowLlmEscalation: "Whether a reasoner may be asked when the choice is in doubt.",
  optimizeFor: "`latency` picks the fastest of the models that reach the threshold, by the latency that was "
    + "reported of similar tasks, in place of the cheapest.",
  detail: "`short` leaves the explanations of the models other than the recommended one out of the answer.",
  shadow: "Whether you run your own default, whatever the answer is. The answer is the same; the decision is "
    + "marked, and no report counts it as a saving. Report the model that ran: its outcome teaches.",
  guarantee: "A cheaper model only once its success is known to be within a loss of a baseline's; null: the "
    + "account's own guarantee, if it has one."
} as const

/** What a request for one task, and a step of a workflow, say of attempts at it. */
export const attemptFields = {
  taskId,
  attempts: described(
    defaulted(listOf(TaskAttempt, { max: attemptsMax }), []),
    "What was tried at this very task, in order: models are predicted given what it came to."
  ),
  verification: described(
    nullable(Verification), "How you check a result; with it the answer has a `plan` of several attempts."
  ),
  successValueUsd: described(
    nullable(UsdSent),
    "What a right result is worth to you, in US dollars: the plan maximises its value less its cost. Null: "
      + "the plan reaches the threshold at the least cost."
  ),
  maxAttempts: described(
    defaulted(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: plannedAttemptsMax })), 3),
    "Most attempts of the plan, counted from now on."
  ),
  maxTotalCostUsd: described(
    nullable(UsdSent), "Most that the plan's attempts may cost together from now on, in US dollars."
  )
}

export const RecommendRequest = wire({
  task: described(TaskInput, "The task that the model is to run."),
  costQualityTradeoff: described(defaulted(Slider, 5), fieldWords.costQualityTradeoff),
  constraints: described(defaulted(Constraints, {}), "Limits on the models that may be recommended."),
  userId: described(nullable(Identifier), fieldWords.userId),
  namespace: described(nullable(Namespace), fieldWords.namespace),
  maxCandidates: described(
    defaulted(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 })), 8),
    "Most models that are scored."
  ),
  allowLlmEscalation: described(defaulted(Schema.Boolean, true), fieldWords.allowLlmEscalation),
  explain: described(defaulted(Schema.Boolean, true), "Whether each ranked model carries its `evidence`."),
  optimizeFor: described(defaulted(OptimizeFor, "cost"), fieldWords.optimizeFor),
  detail: described(defaulted(AnswerDetail, "full"), fieldWords.detail),
  shadow: described(defaulted(Schema.Boolean, false), fieldWords.shadow),
  baselineModelId: described(
    nullable(Identifier), "The model that you would use without the service; savings are reported against it."
  ),
  incumbentModelId: described(
    nullable(Identifier), "The model that holds a warm prompt cache of this conversation; priced with it."
  ),
  guarantee: described(nullable(GuaranteeRequest), fieldWords.guarantee),
  ...attemptFields
}, { identifier: "RecommendRequest", description: "A task, and what a recommendation for it must respect." })
export type RecommendRequest = typeof RecommendRequest.Type

/** Keys depend on the basis: `input`, `output` | `observed_avg` | `rescaled`, `obs_output_tokens`, `seed`. */
const CostBreakdown = Schema.Record(Schema.String, Schema.Finite).annotate({
  identifier: "CostBreakdown",
  description: "Parts of a cost in US dollars by name: `input` and `output`; or `observed_avg`; or "
    + "`rescaled`, beside the tokens `obs_output_tokens` that it was computed with, and `seed`: 1 where "
    + "these come from a benchmark's verbosity and not from outcomes."
})

/** What explains a scored candidate. */
const explanation = {
  estCostBreakdown: CostBreakdown,
  rationale: Schema.String,
  evidence: Schema.Array(EvidenceRef)
}

const absence = "absent in a short answer, unless this is the recommended model"

/** The same, where a short answer may leave it out. */
const optionalExplanation = {
  estCostBreakdown: described(
    Schema.optionalKey(explanation.estCostBreakdown), `The parts of \`est_cost_usd\`; ${absence}.`
  ),
  rationale: described(
    Schema.optionalKey(explanation.rationale), `Why this model is the pick, or is not; ${absence}.`
  ),
  evidence: described(
    Schema.optionalKey(explanation.evidence),
    `Past outcomes behind the prediction, heaviest first; empty without \`explain\`, and ${absence}.`
  )
}

/** The fields of a scored candidate, in their order on the wire. */
const modelFields = <B extends Schema.Top, R extends Schema.Top, E extends Schema.Top>(
  { estCostBreakdown, evidence, rationale }: {
    readonly estCostBreakdown: B
    readonly rationale: R
    readonly evidence: E
  }
) => ({
  modelId: described(Schema.String, "The model's id in the catalog."),
  effort: described(
    Schema.optionalKey(Schema.NullOr(Schema.String)),
    "The level of reasoning effort to call the model with; null where the choice is yours, because no "
      + "candidate names a level."
  ),
  requestedModelId: described(
    Schema.optionalKey(Schema.NullOr(Schema.String)),
    "The model's id as the request spelled it first, among `candidate_models`, else as incumbent or "
      + "baseline, with the level of effort where it named one; null when the request did not name the model."
  ),
  provider: described(Schema.String, "The model's provider."),
  predictedSuccess: described(Probability, "Probability that the model succeeds at the task."),
  estCostUsd: described(Usd, "Estimated cost of the call, in US dollars, on one basis for all candidates."),
  estCostBreakdown,
  estCostLow: described(Schema.NullOr(Schema.Finite), "Lower end of the cost's band, in US dollars."),
  estCostHigh: described(Schema.NullOr(Schema.Finite), "Upper end of the cost's band, in US dollars."),
  costBandBasis: described(Schema.String, "How the band was derived; empty when there is none."),
  successIntervalWidth: described(Schema.Finite, "Width of the 95 % interval of `predicted_success`."),
  score: described(Schema.Finite, "Success against cost, weighed by the slider; `ranked` is sorted by it."),
  rationale,
  decisionBasis: described(DecisionBasis, "What this model's prediction rests on."),
  evidence,
  supportsPromptCaching: described(Schema.Boolean, "Whether the provider caches prompts of this model."),
  contextWindow: described(Schema.Int, "The model's context window, in tokens."),
  estLatencyMs: described(
    Schema.NullOr(Schema.Finite), "Observed latency of similar tasks, in milliseconds; null without history."
  ),
  latencyBasis: described(Schema.String, "Which statistic `est_latency_ms` is; empty without a history."),
  estLatencyP50Ms: described(
    Schema.optionalKey(Schema.NullOr(Schema.Finite)),
    "Median of that latency, in milliseconds; null without history."
  ),
  estTimeToFirstTokenP50Ms: described(
    Schema.optionalKey(Schema.NullOr(Schema.Finite)),
    "Median time to the first token on similar tasks, in milliseconds; null without history."
  ),
  estTimeToFirstTokenP75Ms: described(
    Schema.optionalKey(Schema.NullOr(Schema.Finite)),
    "75th percentile of the time to the first token, in milliseconds; null without history."
  )
})

/** The recommended model, which is always explained. */
export const RecommendedModel = wire(
  modelFields({
    estCostBreakdown: described(
      explanation.estCostBreakdown, "The parts of `est_cost_usd`, which add up to it."
    ),
    rationale: described(explanation.rationale, "Why this model is the pick, in one sentence."),
    evidence: described(
      explanation.evidence,
      "Past outcomes behind the prediction, heaviest first; empty without `explain`."
    )
  }),
  { identifier: "RecommendedModel", description: "The model to run, as `RankedModel` and always explained." }
)
export type RecommendedModel = typeof RecommendedModel.Type

/** One scored candidate. */
export const RankedModel = wire(
  modelFields(optionalExplanation), { identifier: "RankedModel", description: "One scored candidate." }
)
export type RankedModel = typeof RankedModel.Type

export const RecommendResponse = wire({
  recommendationId: described(Schema.String, "The id to report the outcome with."),
  recommendedModel: described(RecommendedModel, "The model to run."),
  ranked: described(Schema.Array(RankedModel), "Every candidate, best score first."),
  fallbackModel: described(
    Schema.NullOr(RankedModel), "The model to try when the recommended one fails; null when none is likelier."
  ),
  confidence: described(Probability, "How much is known about the recommended model on such tasks."),
  decisionBasis: described(DecisionBasis, "What the pick rests on."),
  thresholdUsed: described(Probability, "The predicted success that a model had to reach."),
  classifiedTaskType: described(TaskType, "The kind of task that was used."),
  classifiedDifficulty: described(Difficulty, "The difficulty that was used."),
  catalogVersion: described(Schema.String, "Version of the catalog that was used."),
  catalogStale: described(Schema.Boolean, "Whether the catalog's prices are too old to be trusted."),
  latencyMs: described(Schema.Int, "Time that the recommendation took in the service, in milliseconds."),
  warnings: described(RecommendWarnings, "What the answer had to do without, and what to know of it."),
  selectionPolicy: described(SelectionPolicy, "How the pick was made."),
  guarantee: described(
    Schema.optionalKey(Schema.NullOr(GuaranteeStatus)),
    "The guarantee that the pick was made under; null without one."
  ),
  plan: described(
    Schema.optionalKey(Schema.NullOr(AttemptPlan)),
    "The attempts to make from now on; null for a request without `attempts`, `verification` and "
      + "`success_value_usd`."
  ),
  attemptNumber: described(
    Schema.optionalKey(Schema.NullOr(Schema.Int)),
    "Which attempt at the task the recommended model makes, from 1; null without a plan."
  ),
  isRetry: described(
    Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
    "Whether the recommended model has run at this task before; null without a plan."
  ),
  recommendedActions: described(
    Schema.Array(Schema.String), "Nearly free ways to save on this call, such as `enable_prompt_cache`."
  )
}, { identifier: "RecommendResponse", description: "The model to run, and why." })
export type RecommendResponse = typeof RecommendResponse.Type
