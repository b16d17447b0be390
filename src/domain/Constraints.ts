/* The constraints of a request on the models that may be recommended. */
import { Schema } from "effect"
import { listOf } from "./text/Lists.ts"
import { Identifier } from "./text/Text.ts"
import { Modalities, Regions } from "./model/Facts.ts"
import { Probability, UsdSent } from "./Units.ts"
import { defaulted, described, nullable, wire } from "./wire/Wire.ts"

const Names = listOf(Identifier, { max: 1_000 })
const Positive = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1e12 }))

const unknown = "one that is not known to is no candidate"

const fields = {
  allowedProviders: described(nullable(Names), "Only models of these providers."),
  candidateModels: described(
    nullable(Names),
    "Only these models, by id or alias; `<model>#<effort>` is a model at one level of reasoning effort."
  ),
  excludedModels: described(
    nullable(Names),
    "None of these models, by id or alias; with `#<effort>` only that level of reasoning effort of a model."
  ),
  maxCostPerCall: described(
    nullable(UsdSent),
    "Highest estimated cost of the call, in US dollars; relaxed with a warning rather than leave no model."
  ),
  minQuality: described(nullable(Probability), "Least predicted success; raises the threshold."),
  maxLatencyMs: described(
    nullable(Positive),
    "Highest 75th percentile of latency on similar tasks, in milliseconds. A model without latency history "
      + "stays."
  ),
  requireContextWindow: described(nullable(Positive), "Only models with at least this context, in tokens."),
  requiredModalities: described(nullable(Modalities), `Only models that take all of these; ${unknown}.`),
  dataRegions: described(
    nullable(Regions),
    "Only models that process requests in these regions or data zones and nowhere else; words are compared, "
      + `so name each that you allow (\`eu\`, \`eu-west-1\`); ${unknown}.`
  )
}

/** A limit that is ignored would let a model through that the caller rules out. */
const strictAbout = "constraint"

const caching = "Only models that support prompt caching; each is then priced with a warm cache."

const tools = `Only models that call tools; ${unknown}.`
const structured = `Only models whose answers can be held to a JSON schema; ${unknown}.`

export const Constraints = wire({
  ...fields,
  requirePromptCaching: described(defaulted(Schema.Boolean, false), caching),
  requireTools: described(defaulted(Schema.Boolean, false), tools),
  requireStructuredOutput: described(defaulted(Schema.Boolean, false), structured)
}, {
  identifier: "Constraints",
  description: "Limits on the models that may be recommended. Every field is optional; an unknown one is a "
    + "400.",
  strictAbout
})
export type Constraints = typeof Constraints.Type

/** The overrides of a workflow step. A null field overrides nothing, unlike an explicit false. */
export const StepConstraints = wire({
  ...fields,
  requirePromptCaching: described(nullable(Schema.Boolean), caching),
  requireTools: described(nullable(Schema.Boolean), tools),
  requireStructuredOutput: described(nullable(Schema.Boolean), structured)
}, {
  identifier: "StepConstraints",
  description: "Constraints of a step, which override its workflow's. A null field overrides nothing; an "
    + "unknown one is a 400.",
  strictAbout
})
export type StepConstraints = typeof StepConstraints.Type

/** The workflow's constraints with the step's overrides. */
export const merge = (over: Constraints, step: StepConstraints | null): Constraints =>
  step === null ? over : {
    allowedProviders: step.allowedProviders ?? over.allowedProviders,
    candidateModels: step.candidateModels ?? over.candidateModels,
    excludedModels: step.excludedModels ?? over.excludedModels,
    maxCostPerCall: step.maxCostPerCall ?? over.maxCostPerCall,
    minQuality: step.minQuality ?? over.minQuality,
    requirePromptCaching: step.requirePromptCaching ?? over.requirePromptCaching,
    maxLatencyMs: step.maxLatencyMs ?? over.maxLatencyMs,
    requireContextWindow: step.requireContextWindow ?? over.requireContextWindow,
    requiredModalities: step.requiredModalities ?? over.requiredModalities,
    requireTools: step.requireTools ?? over.requireTools,
    requireStructuredOutput: step.requireStructuredOutput ?? over.requireStructuredOutput,
    dataRegions: step.dataRegions ?? over.dataRegions
  }

/** The constraint fields that the engine honours, in wire spelling, as `/v1/capabilities` lists them. */
export const honoredConstraints = [
  "candidate_models", "excluded_models", "max_cost_per_call", "min_quality", "require_prompt_caching",
  "max_latency_ms", "require_context_window", "allowed_providers",
  "required_modalities", "require_tools", "require_structured_output", "data_regions"
] as const
