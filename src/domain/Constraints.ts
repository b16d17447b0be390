/* The limits that a request sets on the models that may be recommended. */
import { Predicate, Record, Schema } from "effect"
import { listOf } from "./text/Lists.ts"
import { Identifier } from "./text/Text.ts"
import { Modalities, Regions } from "./model/Facts.ts"
import { Probability, UsdSent } from "./Units.ts"
import { defaulted, described, nullable, wire } from "./wire/Wire.ts"

const Names = listOf(Identifier, { max: 1_000 })
const Positive = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1e12 }))

const unknown = "Models about which this is not known are left out."

const fields = {
  allowedProviders: described(nullable(Names), "Only models of these providers."),
  candidateModels: described(
    nullable(Names),
    "Only these models, by id or alias. `<model>#<effort>` names a model at one level of reasoning effort."
  ),
  excludedModels: described(
    nullable(Names),
    "None of these models, by id or alias. `<model>#<effort>` leaves out only that level of reasoning effort."
  ),
  maxCostPerCall: described(
    nullable(UsdSent),
    "Highest estimated cost of the call, in US dollars. Sextant ignores the limit, with a warning, if the "
      + "limit would leave no model."
  ),
  minQuality: described(
    nullable(Probability), "Lowest acceptable predicted success. A minimum success can raise the threshold, "
      + "but not lower it."
  ),
  maxLatencyMs: described(
    nullable(Positive),
    "Highest 75th percentile of latency on similar tasks, in milliseconds. A model without latency history "
      + "is not excluded. Sextant ignores the limit, with a warning, if all known latencies exceed it."
  ),
  requireContextWindow: described(nullable(Positive), "Only models with at least this context, in tokens."),
  requiredModalities: described(nullable(Modalities), `Only models that take all of these. ${unknown}`),
  dataRegions: described(
    nullable(Regions),
    "Only models that process requests in these regions or data zones and nowhere else. Names are compared "
      + `as text, so list every name that you allow (\`eu\`, \`eu-west-1\`). ${unknown}`
  )
}

/** An unknown field is refused, because an ignored limit could let a forbidden model through. */
const strictAbout = "constraint"

const flags = {
  requirePromptCaching: "Only models that support prompt caching, each priced with a warm cache.",
  requireTools: `Only models that call tools. ${unknown}`,
  requireStructuredOutput: `Only models that can follow a JSON schema in their answers. ${unknown}`
}

export const Constraints = wire({
  ...fields,
  ...Record.map(flags, (words) => described(defaulted(Schema.Boolean, false), words))
}, {
  identifier: "Constraints",
  description: "Limits on the models that may be recommended. Every field is optional. A field that is not a "
    + "constraint is refused with 400.",
  strictAbout
})
export type Constraints = typeof Constraints.Type

export const StepConstraints = wire({
  ...fields,
  ...Record.map(flags, (words) => described(nullable(Schema.Boolean), words))
}, {
  identifier: "StepConstraints",
  description: "Constraints of a step. The constraints of a step override the constraints of the workflow. A "
    + "null field overrides nothing. A field that is not a constraint is refused with 400.",
  strictAbout
})
export type StepConstraints = typeof StepConstraints.Type

export const merge = (over: Constraints, step: StepConstraints | null): Constraints =>
  step === null ? over : { ...over, ...Record.filter(step, Predicate.isNotNull) }

/** Names of the constraints that the engine applies, as on the wire, for `/v1/capabilities`. */
export const honoredConstraints = Object.keys(Constraints.from.fields)
