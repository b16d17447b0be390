/* A candidate as an answer scores and explains it. */
import { Schema } from "effect"
import { EvidenceRef } from "./Evidence.ts"
import { Probability, Usd } from "./Units.ts"
import { described, wire } from "./wire/Wire.ts"

export const DecisionBasis = Schema.Literals(["memory", "prior", "llm"]).annotate({
  identifier: "DecisionBasis",
  description: "Basis of a prediction: the account's outcomes, a prior alone, or a reasoner's opinion."
})
export type DecisionBasis = typeof DecisionBasis.Type

/** Keys by basis: `input`, `output`, `learned_ratio` | `observed_avg` | `rescaled`, `obs_output_tokens`. */
const CostBreakdown = Schema.Record(Schema.String, Schema.Finite).annotate({
  identifier: "CostBreakdown",
  description: "Parts of a cost in US dollars by name: `input` and `output`, beside the ratio "
    + "`learned_ratio` where outcomes moved the output expected of a call, or both parts of a run; or "
    + "`observed_avg`; or `rescaled`, beside the tokens `obs_output_tokens` that it was computed with."
})

/** A field that a short answer leaves out. */
const inFull = <S extends Schema.Constraint>(schema: S, words: string) =>
  described(Schema.optionalKey(schema), `${words} Absent in a short answer.`)

/** A field that a short answer leaves out, and that is null where there is nothing to say. */
const known = <S extends Schema.Constraint>(schema: S, words: string) =>
  inFull(Schema.NullOr(schema), words)

/** One scored candidate; its fields in their order on the wire. */
export const RankedModel = wire({
  modelId: described(Schema.String, "The model's id in the catalog."),
  effort: described(
    Schema.optionalKey(Schema.NullOr(Schema.String)),
    "The level of reasoning effort to call the model with; null where the choice is yours, because no "
      + "candidate names a level."
  ),
  requestedModelId: described(
    Schema.optionalKey(Schema.NullOr(Schema.String)),
    "The model's id as the request spelled it first, among `candidate_models`, else as incumbent or "
      + "baseline, with the level of effort where it named one; under `data_regions` the id of the offering "
      + "that was chosen, to be called in place of `model_id`; null when the request did not name the model, "
      + "and absent in a short answer that would repeat `model_id`."
  ),
  provider: described(Schema.String, "The model's provider."),
  predictedSuccess: described(Probability, "Probability that the model succeeds at the task."),
  estCostUsd: described(Usd, "Estimated cost of the call, in US dollars, on one basis for all candidates."),
  estCostBreakdown: inFull(CostBreakdown, "The parts of `est_cost_usd`, which add up to it."),
  estCostLow: known(Schema.Finite, "Lower end of the cost's band, in US dollars."),
  estCostHigh: known(Schema.Finite, "Upper end of the cost's band, in US dollars."),
  costBandBasis: inFull(Schema.String, "How the band was derived; empty when there is none."),
  successIntervalWidth: inFull(Schema.Finite, "Width of the 95 % interval of `predicted_success`."),
  score: inFull(Schema.Finite, "Success against cost, weighed by the slider; `ranked` is sorted by it."),
  rationale: described(
    Schema.optionalKey(Schema.String),
    "Why this model is the pick, or is not, in one sentence. In a short answer of the pick alone."
  ),
  decisionBasis: inFull(DecisionBasis, "Basis of this model's prediction."),
  evidence: inFull(
    Schema.Array(EvidenceRef), "Past outcomes behind the prediction, heaviest first; empty without `explain`."
  ),
  supportsPromptCaching: inFull(Schema.Boolean, "Whether the provider caches prompts of this model."),
  contextWindow: inFull(Schema.Int, "The model's context window, in tokens."),
  estLatencyMs: known(
    Schema.Finite, "Observed latency of similar tasks, in milliseconds; null without history."
  ),
  latencyBasis: inFull(Schema.String, "Which statistic `est_latency_ms` is; empty without a history."),
  estLatencyP50Ms: known(Schema.Finite, "Median of that latency, in milliseconds; null without history."),
  estTimeToFirstTokenP50Ms: known(
    Schema.Finite, "Median time to the first token on similar tasks, in milliseconds; null without history."
  ),
  estTimeToFirstTokenP75Ms: known(
    Schema.Finite, "75th percentile of the time to the first token, in milliseconds; null without history."
  )
}, { identifier: "RankedModel", description: "One scored candidate." })
export type RankedModel = typeof RankedModel.Type
