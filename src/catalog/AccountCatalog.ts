/** The catalog of an account: the shared catalog, with the models and prices that the account declares. */
import {
  type AccountModel, type AccountModels, type AccountModelsResponse, isEmpty
} from "../domain/account/AccountModels.ts"
import { variantOf, namedOf } from "../domain/model/ModelVariant.ts"
import type { CatalogSnapshot, ModelCard } from "../domain/model/Model.ts"
import { nameOf } from "../domain/text/Text.ts"
import { costProblem } from "../domain/Units.ts"
import { snakeCase } from "../domain/wire/Wire.ts"
import { BoundedMap } from "../resilience/BoundedMap.ts"
import { variantsOf, levelTooLong } from "./ModelVariants.ts"
import { type Resolved, resolve } from "./DeclaredModel.ts"
import { findListed, findModel } from "./Lookup.ts"
import { byInputPrice, versionOf } from "./Snapshot.ts"

/** Maximum length of a document as JSON, in characters: a few hundred for each of 64 models. Chosen. */
const documentLengthMax = 32_768

/** Returns the length of a document as JSON without its empty fields, in characters. */
const lengthOf = (document: AccountModels): number =>
  JSON.stringify(document, (_, value: unknown) =>
    value === null || (typeof value === "object" && Object.keys(value).length === 0) ? undefined : value
  ).length

const catalogsMax = 512

interface CachedCatalog {
  readonly shared: CatalogSnapshot
  readonly catalog: CatalogSnapshot
}

/** Cached catalogs by document. */
const kept = new BoundedMap<AccountModels, CachedCatalog>(catalogsMax)

const resolvedOf = (shared: CatalogSnapshot, { models }: AccountModels): ReadonlyArray<Resolved> =>
  models.map((model) => resolve(shared, model))

const overlaid = (shared: CatalogSnapshot, document: AccountModels): CatalogSnapshot => {
  const resolved = resolvedOf(shared, document)
  const own = resolved.flatMap(({ card }) => card === null ? [] : [card])
  if (own.length === 0) return shared
  const ids = new Set(own.map(({ modelId }) => modelId))
  const names = new Set(own.flatMap(({ aliases, modelId }) => [modelId, ...aliases]))
  const armed = new Set(resolved.flatMap(({ card, model }) =>
    card === null || model.effortLevels.length === 0 ? [] : [card.modelId]))
  const others = shared.models.filter(({ modelId }) => !ids.has(modelId)).map((card) =>
    // A name that the account declares means the model that the account declares.
    card.aliases.some((alias) => names.has(alias))
      ? { ...card, aliases: card.aliases.filter((alias) => !names.has(alias)) }
      : card)
  const models = [...others, ...own].sort(byInputPrice)
  const variants = (card: ModelCard): ReadonlyArray<ModelCard> => [...variantsOf(card).values()]
  return {
    ...shared,
    shared,
    models,
    version: versionOf(own, shared.version),
    ownModelIds: new Set(resolved.flatMap(({ card, isOverride }) => {
      if (card === null) return []
      const own = !isOverride ? [card, ...variants(card)] : armed.has(card.modelId) ? variants(card) : []
      return own.map(({ modelId }) => modelId)
    })),
    ...(armed.size === 0 ? {} : {
      open: models.flatMap((card) => armed.has(card.modelId) ? variants(card) : [card]).sort(byInputPrice)
    })
  }
}

/**
 * Returns the account's catalog, which is cached by document and shared catalog, so that readers may use it
 * as a cache key.
 */
export const accountCatalog = (shared: CatalogSnapshot, document: AccountModels): CatalogSnapshot => {
  if (document.models.length === 0) return shared
  const known = kept.get(document)
  const next = known?.shared === shared ? known : { shared, catalog: overlaid(shared, document) }
  kept.set(document, next)
  return next.catalog
}

export const described = (
  shared: CatalogSnapshot,
  document: AccountModels
): Pick<AccountModelsResponse, "resolvedModels" | "resolvedCandidates" | "catalogVersion" | "warnings"> => {
  const catalog = accountCatalog(shared, document)
  const resolvedCandidates = (document.defaultCandidates ?? []).map((id) => {
    const card = findModel(catalog, id)
    const { effort = null, modelId } = card === undefined ? { modelId: null } : namedOf(card.modelId)
    return { requestedModelId: id, modelId, effort }
  })
  const lost = resolvedCandidates.filter(({ modelId }) => modelId === null).length
  return {
    resolvedModels: resolvedOf(shared, document).map(({ base, card, model }) => ({
      model: card, requestedModelId: model.modelId, baseModelId: base?.modelId ?? null
    })),
    resolvedCandidates,
    catalogVersion: catalog.version,
    warnings: lost === 0 ? [] : [`unknown_models:${lost}`]
  }
}

const costFields = ["inputCostPerMtok", "outputCostPerMtok", "cacheReadCostPerMtok"] as const

const costProblems = (
  declared: Partial<Pick<AccountModel, typeof costFields[number]>>,
  field: string
): ReadonlyArray<string> =>
  costFields.flatMap((name) => {
    const problem = costProblem(declared[name] ?? null)
    return problem === null ? [] : [`${field}.${snakeCase(name)}: ${problem}`]
  })

/** A clash is a name of two declared models, or an alias that is the id of another model of the catalog. */
const clashesOf = (shared: CatalogSnapshot, { models }: AccountModels): ReadonlyArray<string> => {
  const ids = new Set(shared.models.map(({ modelId }) => modelId))
  const owners = new Map<string, number>()
  return models.flatMap(({ aliases, modelId }, index) =>
    [modelId, ...new Set(aliases)].flatMap((name, at) => {
      const owner = owners.get(name)
      const field = `models.${index}.${at === 0 ? "model_id" : "aliases"}`
      if (owner !== undefined && (owner !== index || at === 0)) {
        return [`${field}: ${nameOf(name)} already names models.${owner}`]
      }
      owners.set(name, index)
      return at > 0 && name !== modelId && ids.has(name)
        ? [`${field}: ${nameOf(name)} is another model of the catalog`]
        : []
    }))
}

/** Returns reasons that begin with the field's wire name; empty if the document can be used. */
export const problemsOf = (shared: CatalogSnapshot, document: AccountModels): ReadonlyArray<string> => {
  const { defaultCandidates, defaultProviders, models } = document
  const length = lengthOf(document)
  if (length > documentLengthMax) {
    return [`models: the document has ${length} characters, and may have ${documentLengthMax}`]
  }
  if (isEmpty(document)) return []
  const ofModels = models.flatMap((model, index) => {
    const { card, isOverride, missing } = resolve(shared, model)
    const field = `models.${index}`
    const { baseModel, cacheReadCostPerMtok } = model
    return [
      ...(baseModel !== null && findListed(shared, baseModel) === undefined
        ? [`${field}.base_model: the catalog has no model ${nameOf(baseModel)}`]
        : []),
      ...(baseModel !== null && isOverride
        ? [`${field}.base_model: ${nameOf(model.modelId)} is itself a model of the catalog`]
        : []),
      ...[model.modelId, ...model.aliases].flatMap((name) => variantOf(name) === null
        ? []
        : [`${field}.model_id: ${nameOf(name)} is how an effort of another model is kept`]),
      ...(levelTooLong(model) === undefined
        ? []
        : [`${field}.effort_levels: ${levelTooLong(model)} makes an id that is too long`]),
      ...costProblems(model, field),
      ...model.effortLevels.flatMap((level, at) => costProblems(level, `${field}.effort_levels.${at}`)),
      ...missing.map((name) => `${field}.${name}: needed, since no base of ${nameOf(model.modelId)} has it`),
      ...(card !== null && cacheReadCostPerMtok !== null && cacheReadCostPerMtok > card.inputCostPerMtok
        ? [`${field}.cache_read_cost_per_mtok: above the input's price of ${card.inputCostPerMtok}`]
        : [])
    ]
  })
  const clashes = clashesOf(shared, document)
  if (ofModels.length > 0 || clashes.length > 0) return [...ofModels, ...clashes]
  const catalog = overlaid(shared, document)
  const candidates = (defaultCandidates ?? []).map((id) => ({ id, card: findModel(catalog, id) }))
  const unknown = candidates.flatMap(({ card, id }, index) =>
    card === undefined ? [`default_candidates.${index}: no model is known as ${nameOf(id)}`] : [])
  if (unknown.length > 0 || defaultProviders === null) return unknown
  const served = new Set(
    (defaultCandidates === null ? catalog.models : candidates.flatMap(({ card }) => card ?? []))
      .map(({ provider }) => provider.toLowerCase())
  )
  const among = defaultCandidates === null ? "the catalog" : "the default candidates"
  return defaultProviders.flatMap((name, index) => served.has(name.toLowerCase())
    ? []
    : [`default_providers.${index}: no model of ${among} is served by ${nameOf(name)}`])
}
