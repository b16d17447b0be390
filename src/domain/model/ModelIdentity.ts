/* The model that an id names, and the time at which the id last came to mean another model. */
import { Schema } from "effect"
import { modelIdOf } from "./ModelVariant.ts"
import { Identifier } from "../text/Text.ts"
import { Moment } from "../Time.ts"
import { described, nullable, wire } from "../wire/Wire.ts"

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

/** The last declared identity of an id; `since` is the time of its last change, null if it never changed. */
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

export const noRestarts: ModelRestarts = new Map()

/** Returns when an id, or a variant's model, last came to mean another model, ms since 1970; 0 if never. */
export const restartOf = (restarts: ModelRestarts, modelId: string): number =>
  restarts.size === 0 ? 0 : restarts.get(modelIdOf(modelId)) ?? 0

/** Returns the models whose ids ever came to mean another model. */
export const restartedOf = (identities: ReadonlyArray<ModelIdentity>): ReadonlyArray<ModelRestart> =>
  identities.flatMap(({ changed, modelId, since }) => since === null ? [] : [{ modelId, changed, since }])

export const restartsOf = (identities: ReadonlyArray<ModelIdentity>): ModelRestarts => {
  const restarted = restartedOf(identities)
  return restarted.length === 0
    ? noRestarts
    : new Map(restarted.map(({ modelId, since }) => [modelId, Date.parse(since)]))
}
