/* The request and the answer of a recommendation. */
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
    description: "How the pick is made: `argmin`, always the cheapest that is predicted to reach the "
      + "threshold, so that one which is not may stay untried; or `epsilon_softmax`, now and then another "
      + "that is."
  })
export type SelectionPolicy = typeof SelectionPolicy.Type

export const OptimizeFor = Schema.Literals(["cost", "latency"]).annotate({
  identifier: "OptimizeFor",
  description: "The goal among models that reach the threshold: least `cost` or least `latency` of the call."
})
export type OptimizeFor = typeof OptimizeFor.Type

export const SwitchReason = Schema.Literals([
  "cost", "threshold", "capability", "failed_attempt", "health", "warm_cache", "within_noise"
]).annotate({
  identifier: "SwitchReason",
  description: "Why the pick is another model than the incumbent: it costs or takes less (`cost`); "
    + "the incumbent succeeds too rarely for what is asked (`threshold`), may not run the task "
    + "(`capability`), has run at it (`failed_attempt`), or cannot be called now (`health`). Or why it stays "
    + "although another model would have been picked: its prompt cache is warm (`warm_cache`), or the "
    + "evidence does not distinguish the two (`within_noise`)."
})
export type SwitchReason = typeof SwitchReason.Type

export const AnswerDetail = Schema.Literals(["full", "short"]).annotate({
  identifier: "AnswerDetail",
  description: "How much an answer says of each model: `full`; or `short`, its ids, provider, prediction and "
    + "cost alone, and the recommended model once, with its rationale."
})
export type AnswerDetail = typeof AnswerDetail.Type

/** The fields that a request for one task and one for a workflow share. */
export const sharedFields = {
  costQualityTradeoff: described(
    defaulted(Slider, 5), "The slider between cost and quality, which sets the threshold: 0 is the cheapest "
      + "acceptable model, 10 the best at any cost. A value of success takes its place."
  ),
  userId: described(nullable(Identifier), "An actor within the account; its own outcomes are recalled."),
  namespace: described(
    nullable(Namespace),
    "A part of the account that recalls and learns on its own; null is the lane `sextant:default`."
  ),
  allowLlmEscalation: described(
    defaulted(Schema.Boolean, true), "Whether a reasoner may be asked when the choice is in doubt."
  ),
  optimizeFor: described(
    defaulted(OptimizeFor, "cost"), "`latency` picks the fastest of the models that reach the threshold, by "
      + "the latency that was reported of similar tasks, in place of the cheapest."
  ),
  detail: described(
    defaulted(AnswerDetail, "full"), "`short` says of each model its ids, provider, prediction and cost "
      + "alone, of the recommended one its rationale too, and leaves out what is null; `ranked` does not "
      + "repeat the recommended model, whose place is `recommended_rank`."
  ),
  shadow: described(
    defaulted(Schema.Boolean, false), "Whether you run your own default, whatever the answer is. The answer "
      + "is the same; the decision is marked, and no report counts it as a saving. Report the model that "
      + "ran: its outcome teaches."
  ),
  guarantee: described(
    nullable(GuaranteeRequest), "A cheaper model only once its success is known to be within a loss of a "
      + "baseline's; null: the account's own guarantee, if it has one."
  )
}

/** What a request for one task, and a step of a workflow, say of what their prompt needs. */
export const inferredField = {
  inferredRequirements: described(
    nullable(InferredRequirements), "Needs that your program detected in the request; null: none."
  )
}

/** What a request for one task, and a step of a workflow, say of attempts at it. */
export const attemptFields = {
  taskId,
  attempts: described(
    defaulted(listOf(TaskAttempt, { max: attemptsMax }), []),
    "Earlier attempts at this task, in order. Predictions take their results into account."
  ),
  verification: described(
    nullable(Verification), "How you check a result; with it the answer has a `plan` of several attempts."
  ),
  successValueUsd: described(
    nullable(UsdSent),
    "Value of a right result, in US dollars. The pick, or the plan, maximises value times success, less "
      + "cost, in place of `cost_quality_tradeoff` and `optimize_for`. Null: the account's "
      + "own value; without one the cheapest that reaches the threshold."
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
  ...sharedFields,
  constraints: described(defaulted(Constraints, {}), "Limits on the models that may be recommended."),
  maxCandidates: described(
    defaulted(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 })), 8),
    "Most models that are scored."
  ),
  explain: described(defaulted(Schema.Boolean, true), "Whether each ranked model carries its `evidence`."),
  baselineModelId: described(
    nullable(Identifier), "The model that you would use without the service; savings are reported against it."
  ),
  incumbentModelId: described(
    nullable(Identifier),
    "The model that holds a warm prompt cache of this conversation: priced with it, and kept where the "
      + "evidence cannot tell it from the pick."
  ),
  ...inferredField,
  ...attemptFields
}, { identifier: "RecommendRequest", description: "A task, and what a recommendation for it must respect." })
export type RecommendRequest = typeof RecommendRequest.Type

export const RecommendResponse = wire({
  recommendationId: described(SentId, "The id to report the outcome with."),
  recommendedModel: described(RankedModel, "The model to run."),
  recommendedRank: described(
    Schema.optionalKey(Schema.Int),
    "In a short answer, the place of the recommended model in `ranked`, which leaves it out there: 1 is "
      + "before its first entry. Absent in full."
  ),
  ranked: described(
    Schema.Array(RankedModel),
    "Every candidate, best score first; in a short answer, every other than the recommended model."
  ),
  fallbackModel: described(
    Schema.NullOr(RankedModel),
    "The model to try when the recommended one fails; null when none is likelier, or allowed by a guarantee."
  ),
  confidence: described(Probability, "How much is known about the recommended model on such tasks."),
  decisionBasis: described(DecisionBasis, "Basis of the pick."),
  thresholdUsed: described(Probability, "The predicted success that a model had to reach."),
  successValueUsedUsd: described(
    Schema.optionalKey(Schema.NullOr(Usd)),
    "Value of a right result that was used, in US dollars: the pick has the highest value times success, "
      + "less cost. Null if the pick is the cheapest that reaches the threshold."
  ),
  classifiedTaskType: described(TaskType, "The kind of task that was used."),
  classifiedDifficulty: described(Difficulty, "The level that predictions and costs use: yours, the "
    + "reasoner's, or `trivial` or `expert` where the text surely shows it; else `medium`."),
  catalogVersion: described(Schema.String, "Version of the catalog that was used."),
  catalogStale: described(Schema.Boolean, "Whether the catalog's prices are too old to be trusted."),
  latencyMs: described(Schema.Int, "Time that the recommendation took in the service, in milliseconds."),
  warnings: described(RecommendWarnings, "Sources that failed, and notes on the answer."),
  escalationReasons: described(
    defaulted(Schema.Array(Schema.Union([EscalationReason, Schema.String])), []),
    "Why a reasoner's opinion would be worth having; empty where the pick is clear, under a guarantee, and "
      + "where `allow_llm_escalation` is false."
  ),
  selectionPolicy: described(SelectionPolicy, "How the pick was made."),
  guarantee: described(
    Schema.optionalKey(Schema.NullOr(GuaranteeStatus)),
    "The guarantee that the pick was made under; null without one."
  ),
  plan: described(
    Schema.optionalKey(Schema.NullOr(AttemptPlan)),
    "The attempts to make from now on; null for a request without `attempts`, `verification` and "
      + "`max_total_cost_usd`."
  ),
  attemptNumber: described(
    Schema.optionalKey(Schema.NullOr(Schema.Int)),
    "Which attempt at the task the recommended model makes, from 1; null where none is planned."
  ),
  isRetry: described(
    Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
    "Whether the recommended model has run at this task before; null without a plan."
  ),
  switchReason: described(
    Schema.optionalKey(Schema.NullOr(SwitchReason)),
    "Why the pick leaves the incumbent, or keeps it; null without one, and where nothing speaks for another."
  ),
  untriedCheaper: described(
    Schema.optionalKey(Schema.NullOr(UntriedCheaper)),
    "A much cheaper model that may do and was hardly tried on this type of task, and how many trials would "
      + "tell; null without one, for a plan of attempts, and where the account's own draws try it."
  ),
  recommendedActions: described(
    Schema.Array(Schema.String), "Nearly free ways to save on this call, such as `enable_prompt_cache`."
  )
}, { identifier: "RecommendResponse", description: "The model to run, and why." })
export type RecommendResponse = typeof RecommendResponse.Type
