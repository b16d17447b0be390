/** Finds and lists models of a catalog snapshot. */
import type { Schema } from "effect"
import { readVariant } from "../domain/model/ModelVariant.ts"
import type { CatalogSnapshot, ModelCard } from "../domain/model/Model.ts"
import type { ModelsQuery } from "../domain/model/ModelsList.ts"
import { variantAt } from "./ModelVariants.ts"
import { type NameIndex, nameIndexOf } from "./names/NameIndex.ts"

const indexes = new WeakMap<ReadonlyArray<ModelCard>, NameIndex>()

const indexOf = (models: ReadonlyArray<ModelCard>): NameIndex => {
  const known = indexes.get(models)
  const index = known ?? nameIndexOf(models)
  if (known === undefined) indexes.set(models, index)
  return index
}

/**
 * Finds a model by an id. An exact id comes first, then an exact alias, then a spelling of a gateway or cloud
 * (`names/Routes`, `names/Suffixes`). A merely similar name does not match.
 */
export const findListed = (
  { models, shared }: Pick<CatalogSnapshot, "models" | "shared">,
  id: string
): ModelCard | undefined => {
  const index = indexOf(models)
  const found = index(id)
  if (found !== undefined || shared === undefined) return found
  // If an account declares another provider for a catalog model, the catalog's names still find the model.
  const known = indexOf(shared.models)(id)
  return known === undefined ? undefined : index(known.modelId)
}

/** Returns the model or the variant that an id names: `gpt-5#high` is the level `high` of `gpt-5`. */
export const findModel = (
  catalog: Pick<CatalogSnapshot, "models" | "shared">,
  id: string
): ModelCard | undefined => {
  const listed = findListed(catalog, id)
  const variant = listed === undefined ? readVariant(id) : null
  if (variant === null) return listed
  const card = findListed(catalog, variant.modelId)
  return card === undefined ? undefined : variantAt(card, variant)
}

export type ModelsFilter = Schema.Struct.Type<typeof ModelsQuery>

/**
 * `max_cost` limits the higher of input price and output price, USD per million tokens. `include_stale:
 * false` removes models with stale prices, unless no model would remain.
 */
export const listModels = (snapshot: CatalogSnapshot, query: ModelsFilter): ReadonlyArray<ModelCard> => {
  const { max_cost: maxCost, task_type: taskType } = query
  const provider = query.provider?.toLowerCase()
  const models = snapshot.models.filter((card) =>
    (provider === undefined || card.provider.toLowerCase() === provider) &&
    (taskType === undefined || Object.hasOwn(card.capabilityByTaskType, taskType)) &&
    (maxCost === undefined || Math.max(card.inputCostPerMtok, card.outputCostPerMtok) <= maxCost)
  )
  if (query.include_stale) return models
  const fresh = models.filter((card) => !card.costStale)
  return fresh.length > 0 ? fresh : models
}
