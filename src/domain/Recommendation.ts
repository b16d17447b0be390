/** The request and the answer of a recommendation. */
import { Schema } from "effect"
import { AttemptPlan, attemptsMax, plannedAttemptsMax, TaskAttempt, Verification } from "./Attempt.ts"
import { Constraints } from "./Constraints.ts"
import { EscalationReason } from "./Escalation.ts"
import { GuaranteeRequest, GuaranteeStatus } from "./account/Guarantee.ts"
import { DecisionBasis, RankedModel } from "./RankedModel.ts"
import { InferredRequirements } from "./model/Facts.ts"
import { SentId } from "./RecommendationId.ts"
import { Namespace } from "./Scope.ts"
import { Difficulty, TaskInput, TaskType } from "./Task.ts"
import { taskId } from "./TaskKey.ts"
import { listOf } from "./text/Lists.ts"
import { Identifier } from "./text/Text.ts"
import { UntriedCheaper } from "./UntriedCheaper.ts"
import { Probability, Slider, Usd, UsdSent } from "./Units.ts"
import { RecommendWarnings } from "./Warning.ts"
import { defaulted, described, nullable, wire } from "./wire/Wire.ts"

export const SelectionPolicy = Schema.Literals(["argmin", "epsilon_softmax"])
  .annotate({
    identifier: "SelectionPolicy",
    description: "The rule that picks a model. `argmin`: the best model by predictions, so that some models "
      + "stay untried. `epsilon_softmax`: sometimes another model that is predicted to reach the threshold."
  })
export type SelectionPolicy = typeof SelectionPolicy.Type

export const OptimizeFor = Schema.Literals(["cost", "latency"]).annotate({
  identifier: "OptimizeFor",
  description: "The goal among models that reach the threshold: lowest `cost` or lowest `latency`."
})
export type OptimizeFor = typeof OptimizeFor.Type

export const SwitchReason = Schema.Literals([
  "cost", "threshold", "capability", "failed_attempt", "health", "warm_cache", "within_noise"
]).annotate({
  identifier: "SwitchReason",
  description: "The reason to leave or keep the incumbent. `cost`: the recommended model costs less or is "
    + "faster. `threshold`: the incumbent's predicted success is too low. `capability`: the request excludes "
    + "the incumbent. `failed_attempt`: the incumbent has already made an attempt at this task. `health`: "
    + "the incumbent cannot be called now. `warm_cache`: the incumbent stays because of its prompt cache. "
    + "`within_noise`: the incumbent stays because the evidence cannot distinguish the two models."
})
export type SwitchReason = typeof SwitchReason.Type

export const AnswerDetail = Schema.Literals(["full", "short"]).annotate({
  identifier: "AnswerDetail",
  description: "How much an answer contains. `short` gives only ids, provider, prediction and cost of each "
    + "model, and lists the recommended model once, with its rationale."
})
export type AnswerDetail = typeof AnswerDetail.Type

export const sharedFields = {
  costQualityTradeoff: described(
    defaulted(Slider, 5),
    "The slider between cost and quality, which sets the threshold: 0.55 at 0, and 0.92 at 10. A value of "
      + "success takes the place of the slider."
  ),
  userId: described(nullable(Identifier), "An actor within the account. Sextant recalls this actor's own "
    + "outcomes."),
  namespace: described(
    nullable(Namespace), "A part of the account with its own memory; null is the lane `sextant:default`."
  ),
  allowLlmEscalation: described(
    defaulted(Schema.Boolean, true), "Whether a reasoner may be asked about the task or a doubtful choice."
  ),
  optimizeFor: described(
    defaulted(OptimizeFor, "cost"),
    "`latency` picks the fastest model that reaches the threshold, by reported latencies of similar tasks. "
      + "`cost` picks the cheapest model that reaches the threshold."
  ),
  detail: described(
    defaulted(AnswerDetail, "full"),
    "`short` gives only ids, provider, prediction and cost of each model. In a short answer, `ranked` omits "
      + "the recommended model, and `recommended_rank` is its place."
  ),
  shadow: described(
    defaulted(Schema.Boolean, false),
    "True if you run your own default model, whatever the answer is. A shadow decision is marked, and no "
      + "report counts it as a saving. Report the model that ran, because Sextant learns from its outcome."
  ),
  guarantee: described(
    nullable(GuaranteeRequest),
    "Except in trials, recommends a cheaper model only if its success is known to be close to the "
      + "baseline's. Null: the account's guarantee applies, if it has one."
  )
}

export const inferredField = {
  inferredRequirements: described(
    nullable(InferredRequirements), "Needs that your program detected in the request; null for none."
  )
}

export const attemptFields = {
  taskId,
  attempts: described(
    defaulted(listOf(TaskAttempt, { max: attemptsMax }), []),
    "Earlier attempts at this task, in order. The results of earlier attempts change the predictions."
  ),
  verification: described(
    nullable(Verification),
    "The way in which you check a result. If `verification` is given, the answer has a `plan`, which may "
      + "have several attempts."
  ),
  successValueUsd: described(
    nullable(UsdSent),
    "Value of a right result, in US dollars. If set, the model or plan with the highest value times success, "
      + "less cost, is chosen. With a value, `cost_quality_tradeoff` and `optimize_for` are ignored. Null: "
      + "the account's value applies, if it has one."
  ),
  maxAttempts: described(
    defaulted(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: plannedAttemptsMax })), 3),
    "Maximum number of attempts of the plan, counted from now on."
  ),
  maxTotalCostUsd: described(
    nullable(UsdSent), "Highest total cost of the plan's attempts from now on, in US dollars."
  )
}

export const RecommendRequest = wire({
  task: described(TaskInput, "The task that the model is to run."),
  ...sharedFields,
  constraints: described(defaulted(Constraints, {}), "Limits on the models that may be recommended."),
  maxCandidates: described(
    defaulted(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 })), 8),
    "Maximum number of models that are scored."
  ),
  explain: described(defaulted(Schema.Boolean, true), "Whether each ranked model has its `evidence`."),
  baselineModelId: described(
    nullable(Identifier), "The model that you would use without the service. Reports give savings relative "
      + "to the baseline."
  ),
  incumbentModelId: described(
    nullable(Identifier),
    "The model with a warm prompt cache of this conversation. The incumbent's price includes the cache. The "
      + "incumbent is kept if the evidence cannot distinguish it from the best model."
  ),
  ...inferredField,
  ...attemptFields
}, { identifier: "RecommendRequest", description: "The task to recommend a model for, and the conditions of "
  + "the recommendation." })
export type RecommendRequest = typeof RecommendRequest.Type

export const RecommendResponse = wire({
  recommendationId: described(SentId, "The id to report the outcome with."),
  recommendedModel: described(RankedModel, "The model to run."),
  recommendedRank: described(
    Schema.optionalKey(Schema.Int),
    "In a short answer, the place of the recommended model in `ranked`, which omits it; 1 is first. Absent "
      + "in a full answer."
  ),
  ranked: described(
    Schema.Array(RankedModel),
    "Every candidate, best score first. A short answer omits the recommended model here."
  ),
  fallbackModel: described(
    Schema.NullOr(RankedModel),
    "The model to try if the recommended model fails. Null, for example, if no model is likelier to succeed."
  ),
  confidence: described(Probability, "Amount of evidence about the recommended model on tasks of this kind, "
    + "in [0, 1]."),
  decisionBasis: described(DecisionBasis, "Basis of the pick."),
  thresholdUsed: described(Probability, "The predicted success that a model had to reach."),
  successValueUsedUsd: described(
    Schema.optionalKey(Schema.NullOr(Usd)),
    "Value of a right result that was used, in US dollars; null if there was none."
  ),
  classifiedTaskType: described(TaskType, "The kind of task that predictions use."),
  classifiedDifficulty: described(
    Difficulty,
    "The difficulty of the task: yours, the reasoner's, or the one that the text clearly shows. Otherwise "
      + "`medium`."
  ),
  catalogVersion: described(Schema.String, "Version of the catalog that was used."),
  catalogStale: described(Schema.Boolean, "Whether the catalog's prices are too old to be trusted."),
  latencyMs: described(Schema.Int, "Time that the recommendation took in the service, in milliseconds."),
  warnings: described(RecommendWarnings, "Sources that failed, and notes on the answer."),
  escalationReasons: described(
    defaulted(Schema.Array(Schema.Union([EscalationReason, Schema.String])), []),
    "Reasons to ask a reasoner. The list is empty if the choice is clear, under a guarantee, and if "
      + "`allow_llm_escalation` is false."
  ),
  selectionPolicy: described(SelectionPolicy, "The rule by which the model was picked."),
  guarantee: described(
    Schema.optionalKey(Schema.NullOr(GuaranteeStatus)),
    "The guarantee that applied to the choice; null if none applied."
  ),
  plan: described(
    Schema.optionalKey(Schema.NullOr(AttemptPlan)),
    "The attempts to make from now on. Null if the request has no `attempts`, `verification` or "
      + "`max_total_cost_usd`."
  ),
  attemptNumber: described(
    Schema.optionalKey(Schema.NullOr(Schema.Int)),
    "Number of the attempt that the recommended model makes, from 1; null if none is planned."
  ),
  isRetry: described(
    Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
    "Whether the recommended model has run at this task before; null without a plan."
  ),
  switchReason: described(
    Schema.optionalKey(Schema.NullOr(SwitchReason)),
    "The reason to leave or keep the incumbent; null, for example, if there is no incumbent."
  ),
  untriedCheaper: described(
    Schema.optionalKey(Schema.NullOr(UntriedCheaper)),
    "A much cheaper, hardly tried model that may succeed, and the number of trials that would tell. Null if "
      + "no model qualifies, and for a plan of attempts."
  ),
  recommendedActions: described(
    Schema.Array(Schema.String),
    "Nearly free ways to reduce the cost of this call, such as `enable_prompt_cache`."
  )
}, { identifier: "RecommendResponse", description: "The model to run, and why." })
export type RecommendResponse = typeof RecommendResponse.Type
