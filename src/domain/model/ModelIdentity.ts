/* The model that an id names in an account, and the time at which the id last changed its meaning.
   Outcomes belong to the model that ran, so a new model does not inherit them. */
import { Schema } from "effect"
import { modelIdOf } from "./ModelVariant.ts"
import { Identifier } from "../text/Text.ts"
import { Moment } from "../Time.ts"
import { described, nullable, wire } from "../wire/Wire.ts"

/**
 * The fields whose change makes an id mean another model. A change of prices, priors or display names does
 * not make the id mean another model.
 */
export const IdentityField = Schema.Literals(["base_model", "provider", "version"]).annotate({
  identifier: "IdentityField",
  description: "A field whose change makes the id mean another model."
})
export type IdentityField = typeof IdentityField.Type

const changed = Schema.Array(IdentityField)

export const ModelRestart = wire({
  modelId: described(Identifier, "The model's id."),
  changed: described(changed, "The fields that changed."),
  since: described(
    Moment,
    "Time of the change, ISO 8601. Earlier outcomes count for at most a fifth in predictions, and not at all "
      + "in costs, latencies and guarantees."
  )
}, {
  identifier: "ModelRestart",
  description: "A model that began anew, because its id now means another model."
})
export type ModelRestart = typeof ModelRestart.Type

/** The last declared identity of an id, and the time of its last change; null if it never changed. */
export const ModelIdentity = wire({
  modelId: Identifier,
  baseModel: nullable(Identifier),
  provider: nullable(Identifier),
  version: nullable(Identifier),
  changed,
  since: Schema.NullOr(Moment)
})
export type ModelIdentity = typeof ModelIdentity.Type

/** The time at which each id last came to mean another model, ms since 1970. */
export type ModelRestarts = ReadonlyMap<string, number>

/** The restarts of most accounts: none. */
export const noRestarts: ModelRestarts = new Map()

/**
 * Returns the time at which an id last came to mean another model, ms since 1970; 0 if it never did. A
 * variant has the time of its model.
 */
export const restartOf = (restarts: ModelRestarts, modelId: string): number =>
  restarts.size === 0 ? 0 : restarts.get(modelIdOf(modelId)) ?? 0

/** Returns the models whose ids ever came to mean another model. */
export const restartedOf = (identities: ReadonlyArray<ModelIdentity>): ReadonlyArray<ModelRestart> =>
  identities.flatMap(({ changed, modelId, since }) => since === null ? [] : [{ modelId, changed, since }])

/** Returns the time at which each model began anew. */
export const restartsOf = (identities: ReadonlyArray<ModelIdentity>): ModelRestarts => {
  const restarted = restartedOf(identities)
  return restarted.length === 0
    ? noRestarts
    : new Map(restarted.map(({ modelId, since }) => [modelId, Date.parse(since)]))
}
