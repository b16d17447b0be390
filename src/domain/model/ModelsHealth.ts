/* The answer about models that currently cannot be called. */
import { Schema } from "effect"
import { Moment } from "../Time.ts"
import { Count } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

const HealthOfModel = wire({
  provider: described(Schema.String, "The provider."),
  modelId: described(Schema.NullOr(Schema.String), "The model; null for the provider as a whole."),
  isHealthy: described(Schema.Boolean, "False while recommendations avoid the model, if another model can "
    + "run."),
  calls: described(Count, "Reported calls in the five minutes up to the model's last failure."),
  failures: described(Count, "The part of `calls` that failed because of the provider or the network."),
  rateLimits: described(Count, "Failures that were rate limits."),
  failedAt: described(Moment, "Time at which the last failure was reported, ISO 8601."),
  tryAt: described(
    Schema.NullOr(Moment), "Time from which one caller at a time tries the model again, ISO 8601; null if "
      + "healthy."
  )
}, { identifier: "HealthOfModel", description: "Recent calls of a model, or of a provider." })

export const ModelsHealthResponse = wire({
  models: described(
    Schema.Array(HealthOfModel), "Each model with a failure in the last ten minutes, healthy again or not. "
      + "Models that are not listed are healthy."
  )
}, { identifier: "ModelsHealthResponse", description: "Models that your callers recently could not call." })
export type ModelsHealthResponse = typeof ModelsHealthResponse.Type
