/* The constraints of a request on the models that may be recommended. */
import { Schema } from "effect"
import { listOf } from "./text/Lists.ts"
import { Identifier } from "./text/Text.ts"
import { Probability, UsdSent } from "./Units.ts"
import { defaulted, nullable, wire } from "./Wire.ts"

const Names = listOf(Identifier, { max: 1_000 })
const Positive = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1e12 }))

const fields = {
  allowedProviders: nullable(Names),
  candidateModels: nullable(Names),
  excludedModels: nullable(Names),
  maxCostPerCall: nullable(UsdSent),
  minQuality: nullable(Probability),
  maxLatencyMs: nullable(Positive),
  requireContextWindow: nullable(Positive)
}

export const Constraints = wire({
  ...fields,
  requirePromptCaching: defaulted(Schema.Boolean, false)
}).annotate({ identifier: "Constraints" })
export type Constraints = typeof Constraints.Type

/** The overrides of a workflow step. A null field overrides nothing, unlike an explicit false. */
export const StepConstraints = wire({
  ...fields,
  requirePromptCaching: nullable(Schema.Boolean)
}).annotate({ identifier: "StepConstraints" })
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
    requireContextWindow: step.requireContextWindow ?? over.requireContextWindow
  }

/** The constraint fields that the engine honours, in wire spelling, as `/v1/capabilities` lists them. */
export const honoredConstraints = [
  "candidate_models", "excluded_models", "max_cost_per_call", "min_quality", "require_prompt_caching",
  "max_latency_ms", "require_context_window", "allowed_providers"
] as const
