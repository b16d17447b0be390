/** A scored candidate, as an answer presents it. */
import { Schema } from "effect"
import { EvidenceRef } from "./Evidence.ts"
import { Probability, Usd } from "./Units.ts"
import { described, wire } from "./wire/Wire.ts"

export const DecisionBasis = Schema.Literals(["memory", "prior", "llm"]).annotate({
  identifier: "DecisionBasis",
  description: "The basis of a prediction: the account's outcomes (`memory`), a prior alone, or a reasoner's "
    + "opinion (`llm`)."
})
export type DecisionBasis = typeof DecisionBasis.Type

const CostBreakdown = Schema.Record(Schema.String, Schema.Finite).annotate({
  identifier: "CostBreakdown",
  description: "The parts of a cost by name. An estimate from tokens has `input` and `output`, in US "
    + "dollars, and `learned_ratio` if outcomes changed the estimate. The part `observed_avg` is the "
    + "median bill, in US dollars. The part `rescaled` is the cost of this request's input and the "
    + "model's median output, in US dollars; `obs_output_tokens` is that median, in tokens."
})

const inFull = <S extends Schema.Constraint>(schema: S, words: string) =>
  described(Schema.optionalKey(schema), `${words} Absent in a short answer.`)

const known = <S extends Schema.Constraint>(schema: S, words: string) =>
  inFull(Schema.NullOr(schema), words)

export const RankedModel = wire({
  modelId: described(Schema.String, "The model's id in the catalog."),
  effort: described(
    Schema.optionalKey(Schema.NullOr(Schema.String)),
    "The level of reasoning effort to call the model with; null if you may choose the level."
  ),
  requestedModelId: described(
    Schema.optionalKey(Schema.NullOr(Schema.String)),
    "The id by which the request first named the model, with its level of effort: in `candidate_models`, "
      + "else as incumbent or baseline. Under `data_regions`, the id of the chosen offering, which you call "
      + "in place of `model_id`. Null if the request did not name the model. Absent in a short answer if it "
      + "equals `model_id`."
  ),
  provider: described(Schema.String, "The model's provider."),
  predictedSuccess: described(Probability, "Probability that the model succeeds at the task."),
  estCostUsd: described(
    Usd, "Estimated cost of the call, in US dollars. All candidates are estimated on the same basis."
  ),
  estCostBreakdown: inFull(CostBreakdown, "The parts of `est_cost_usd`; those in US dollars add up to it."),
  estCostLow: known(Schema.Finite, "Lower end of the cost's band, in US dollars."),
  estCostHigh: known(Schema.Finite, "Upper end of the cost's band, in US dollars."),
  costBandBasis: inFull(Schema.String, "The method behind the band; empty without a band."),
  successIntervalWidth: inFull(Schema.Finite, "Width of the 95 % interval of `predicted_success`."),
  score: inFull(
    Schema.Finite, "Success weighed against cost or latency, by the slider or the value of success. `ranked` "
      + "is sorted by this score."
  ),
  rationale: described(
    Schema.optionalKey(Schema.String),
    "One sentence that explains why this model was recommended or not. In a short answer only the "
      + "recommended model has a rationale."
  ),
  decisionBasis: inFull(DecisionBasis, "Basis of this model's prediction."),
  evidence: inFull(
    Schema.Array(EvidenceRef),
    "Past outcomes behind the prediction, those with the most weight first; empty without `explain`."
  ),
  supportsPromptCaching: inFull(Schema.Boolean, "Whether the provider caches prompts of this model."),
  contextWindow: inFull(Schema.Int, "The model's context window, in tokens."),
  estLatencyMs: known(
    Schema.Finite, "Observed latency on similar tasks, in milliseconds; null without history."
  ),
  latencyBasis: inFull(Schema.String, "The statistic that `est_latency_ms` is; empty without history."),
  estLatencyP50Ms: known(
    Schema.Finite, "Median latency on similar tasks, in milliseconds; null without history."
  ),
  estTimeToFirstTokenP50Ms: known(
    Schema.Finite, "Median time to the first token on similar tasks, in milliseconds; null without history."
  ),
  estTimeToFirstTokenP75Ms: known(
    Schema.Finite, "75th percentile of the time to the first token, in milliseconds; null without history."
  )
}, { identifier: "RankedModel", description: "One scored candidate." })
export type RankedModel = typeof RankedModel.Type
