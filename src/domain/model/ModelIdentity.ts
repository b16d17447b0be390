/* The model that an id stands for in an account, and since when. Outcomes belong to the model that ran. */
import { Schema } from "effect"
import { modelIdOf } from "./ModelVariant.ts"
import { Identifier } from "../text/Text.ts"
import { Moment } from "../Time.ts"
import { described, nullable, wire } from "../wire/Wire.ts"

/** What makes a model another one under its id: prices, priors and names for people do not. */
export const IdentityField = Schema.Literals(["base_model", "provider", "version"]).annotate({
  identifier: "IdentityField",
  description: "Field whose change makes a model another one under the same id."
})
export type IdentityField = typeof IdentityField.Type

const changed = Schema.Array(IdentityField)

/** A model of which only outcomes since a moment count in full. */
export const ModelRestart = wire({
  modelId: described(Identifier, "The model's id."),
  changed: described(changed, "The fields that changed."),
  since: described(Moment, "When it changed, ISO 8601. Outcomes of calls before it count for a fifth at most "
    + "in predictions, and not at all in costs, latencies and guarantees.")
}, {
  identifier: "ModelRestart",
  description: "A model that begins anew, because its id now stands for another one."
})
export type ModelRestart = typeof ModelRestart.Type

/** What an id stood for last, by what the account declared of it, and when that changed; null for never. */
export const ModelIdentity = wire({
  modelId: Identifier,
  baseModel: nullable(Identifier),
  provider: nullable(Identifier),
  version: nullable(Identifier),
  changed,
  since: Schema.NullOr(Moment)
})
export type ModelIdentity = typeof ModelIdentity.Type

/** By id of a model, when it last became another one, ms since 1970. */
export type ModelRestarts = ReadonlyMap<string, number>

/** What most accounts have. */
export const noRestarts: ModelRestarts = new Map()

/** When a model, or that of a variant, last became another one, ms since 1970; 0 for never. */
export const restartOf = (restarts: ModelRestarts, modelId: string): number =>
  restarts.size === 0 ? 0 : restarts.get(modelIdOf(modelId)) ?? 0

/** The models that ever began anew. */
export const restartedOf = (identities: ReadonlyArray<ModelIdentity>): ReadonlyArray<ModelRestart> =>
  identities.flatMap(({ changed, modelId, since }) => since === null ? [] : [{ modelId, changed, since }])

/** When each of them did. */
export const restartsOf = (identities: ReadonlyArray<ModelIdentity>): ModelRestarts => {
  const restarted = restartedOf(identities)
  return restarted.length === 0
    ? noRestarts
    : new Map(restarted.map(({ modelId, since }) => [modelId, Date.parse(since)]))
}
