/* The request and the answer of a recommendation. */
import { Schema } from "effect"
import { Constraints } from "./Constraints.ts"
import { EvidenceRef } from "./Evidence.ts"
import { Namespace } from "./Scope.ts"
import { Difficulty, TaskInput, TaskType } from "./Task.ts"
import { Identifier } from "./text/Text.ts"
import { Probability, Slider, Usd } from "./Units.ts"
import { RecommendWarnings } from "./Warning.ts"
import { defaulted, nullable, wire } from "./Wire.ts"

export const DecisionBasis = Schema.Literals(["memory", "prior", "llm"]).annotate({
  identifier: "DecisionBasis"
})
export type DecisionBasis = typeof DecisionBasis.Type

export const SelectionPolicy = Schema.Literals(["argmin", "epsilon_softmax"])
  .annotate({ identifier: "SelectionPolicy" })
export type SelectionPolicy = typeof SelectionPolicy.Type

export const RecommendRequest = wire({
  task: TaskInput,
  costQualityTradeoff: defaulted(Slider, 5),
  constraints: defaulted(Constraints, {}),
  userId: nullable(Identifier),
  namespace: nullable(Namespace),
  maxCandidates: defaulted(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 })), 8),
  allowLlmEscalation: defaulted(Schema.Boolean, true),
  explain: defaulted(Schema.Boolean, true),
  baselineModelId: nullable(Identifier),
  incumbentModelId: nullable(Identifier)
}).annotate({ identifier: "RecommendRequest" })
export type RecommendRequest = typeof RecommendRequest.Type

/** One scored candidate. */
export const RankedModel = wire({
  modelId: Schema.String,
  requestedModelId: Schema.optionalKey(Schema.NullOr(Schema.String).annotate({
    description: "The model's id as the request spelled it first, among `candidate_models`, else as "
      + "incumbent or baseline; null when the request did not name the model."
  })),
  provider: Schema.String,
  predictedSuccess: Probability,
  estCostUsd: Usd,
  /** Keys depend on the cost basis: `input`, `output` | `observed_avg` | `rescaled`, `obs_output_tokens`. */
  estCostBreakdown: Schema.Record(Schema.String, Schema.Finite),
  estCostLow: Schema.NullOr(Schema.Finite),
  estCostHigh: Schema.NullOr(Schema.Finite),
  costBandBasis: Schema.String,
  successIntervalWidth: Schema.Finite,
  score: Schema.Finite,
  rationale: Schema.String,
  decisionBasis: DecisionBasis,
  evidence: Schema.Array(EvidenceRef),
  supportsPromptCaching: Schema.Boolean,
  contextWindow: Schema.Int,
  estLatencyMs: Schema.NullOr(Schema.Finite),
  latencyBasis: Schema.String
}).annotate({ identifier: "RankedModel" })
export type RankedModel = typeof RankedModel.Type

export const RecommendResponse = wire({
  recommendationId: Schema.String,
  recommendedModel: RankedModel,
  ranked: Schema.Array(RankedModel),
  fallbackModel: Schema.NullOr(RankedModel),
  confidence: Probability,
  decisionBasis: DecisionBasis,
  thresholdUsed: Probability,
  classifiedTaskType: TaskType,
  classifiedDifficulty: Difficulty,
  catalogVersion: Schema.String,
  catalogStale: Schema.Boolean,
  latencyMs: Schema.Int,
  warnings: RecommendWarnings,
  selectionPolicy: SelectionPolicy,
  recommendedActions: Schema.Array(Schema.String)
}).annotate({ identifier: "RecommendResponse" })
export type RecommendResponse = typeof RecommendResponse.Type
