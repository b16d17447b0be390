/** Finds and lists models of a catalog snapshot. */
import type { Schema } from "effect"
import type { CatalogSnapshot, ModelCard, ModelsQuery } from "../domain/Model.ts"

const indexes = new WeakMap<ReadonlyArray<ModelCard>, ReadonlyMap<string, ModelCard>>()

/** Every name of every card; an id beats an alias, and of two equal aliases the cheaper model's wins. */
const indexOf = (models: ReadonlyArray<ModelCard>): ReadonlyMap<string, ModelCard> => {
  const known = indexes.get(models)
  if (known !== undefined) return known
  const index = new Map(models.map((card) => [card.modelId, card]))
  for (const card of models) {
    for (const alias of card.aliases) if (!index.has(alias)) index.set(alias, card)
  }
  indexes.set(models, index)
  return index
}

/** The model of that exact id, else of that exact alias; never by prefix, case or similarity. */
export const findModel = (snapshot: CatalogSnapshot, id: string): ModelCard | undefined =>
  indexOf(snapshot.models).get(id)

export type ModelsFilter = Schema.Struct.Type<typeof ModelsQuery>

/**
 * The models of `GET /v1/models`, sorted by input price.
 *
 * `max_cost` bounds the dearer of the two prices, in USD per million tokens. `include_stale: false` prefers
 * fresh prices: stale ones go only where the other filters leave at least one fresh model.
 */
export const listModels = (snapshot: CatalogSnapshot, query: ModelsFilter): ReadonlyArray<ModelCard> => {
  const { max_cost: maxCost, task_type: taskType } = query
  const provider = query.provider?.toLowerCase()
  const models = snapshot.models.filter((card) =>
    (provider === undefined || card.provider.toLowerCase() === provider) &&
    (taskType === undefined || Object.hasOwn(card.capabilityByTaskType, taskType)) &&
    (maxCost === undefined || Math.max(card.inputCostPerMtok, card.outputCostPerMtok) <= maxCost)
  )
  if (query.include_stale !== false) return models
  const fresh = models.filter((card) => !card.costStale)
  return fresh.length > 0 ? fresh : models
}
