/* A candidate as an answer scores and explains it. */
import { Schema } from "effect"
import { EvidenceRef } from "./Evidence.ts"
import { Probability, Usd } from "./Units.ts"
import { described, wire } from "./wire/Wire.ts"

export const DecisionBasis = Schema.Literals(["memory", "prior", "llm"]).annotate({
  identifier: "DecisionBasis",
  description: "What a prediction rests on: the account's outcomes, a prior alone, or a reasoner's opinion."
})
export type DecisionBasis = typeof DecisionBasis.Type

/** Keys by basis: `input`, `output`, `learned_ratio` | `observed_avg` | `rescaled`, `obs_output_tokens`. */
const CostBreakdown = Schema.Record(Schema.String, Schema.Finite).annotate({
  identifier: "CostBreakdown",
  description: "Parts of a cost in US dollars by name: `input` and `output`, beside the ratio "
    + "`learned_ratio` where outcomes moved the output expected of a call, or both parts of a run; or "
    + "`observed_avg`; or `rescaled`, beside the tokens `obs_output_tokens` that it was computed with."
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
      + "baseline, with the level of effort where it named one; under `data_regions` the id of the offering "
      + "that was chosen, to be called in place of `model_id`; null when the request did not name the model."
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
  marginalCostUsd: described(
    Schema.optionalKey(Schema.NullOr(Schema.Finite)),
    "What the choice counted in place of `est_cost_usd`: 0 while tokens of the model are paid already "
      + "(`prepaid_tokens`), in US dollars; null where it counted that."
  ),
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
