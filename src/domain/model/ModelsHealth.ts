/* The answer that tells which models cannot be called. */
import { Schema } from "effect"
import { Moment } from "../Time.ts"
import { Count } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

const HealthOfModel = wire({
  provider: described(Schema.String, "The provider."),
  modelId: described(Schema.NullOr(Schema.String), "The model; null for the provider as a whole."),
  isHealthy: described(Schema.Boolean, "False while recommendations pass it by, where another one can run."),
  calls: described(Count, "Reported calls in the five minutes up to its last failure."),
  failures: described(Count, "Those of them that the provider, or the way to it, broke."),
  rateLimits: described(Count, "Those of the failures that were rate limits."),
  failedAt: described(Moment, "When the last failure was reported, ISO 8601."),
  tryAt: described(
    Schema.NullOr(Moment),
    "From when one caller at a time tries it again, ISO 8601; null for a healthy one."
  )
}, { identifier: "HealthOfModel", description: "How the calls of a model, or of a provider, went lately." })

export const ModelsHealthResponse = wire({
  models: described(
    Schema.Array(HealthOfModel), "Each model that failed in the last ten minutes; all others are well."
  )
}, { identifier: "ModelsHealthResponse", description: "Which models your callers could not call lately." })
export type ModelsHealthResponse = typeof ModelsHealthResponse.Type
