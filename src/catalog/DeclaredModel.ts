/** Makes the card of a model that an account declares, completed from a model of the catalog. */
import type { AccountModel } from "../domain/account/AccountModels.ts"
import { pricesOver } from "../domain/model/DeclaredPrices.ts"
import { factsOver, type ModelFacts } from "../domain/model/Facts.ts"
import type { CatalogSnapshot, ModelCard } from "../domain/model/Model.ts"
import type { IdentityField } from "../domain/model/ModelIdentity.ts"
import { levelsOf } from "./ModelVariants.ts"
import { declaredAbilities, declaredPriors, type Priors } from "./DeclaredPriors.ts"
import { findListed } from "./Lookup.ts"

/**
 * How a declared model is related to its base model in the catalog.
 *
 * - `same`: the declared id is the base's id.
 * - `named`: the declaration names the base.
 * - `spelling`: the declared id is an alias or another spelling of the base's id.
 * - `family`: the declared id begins with the base's name.
 */
type BaseKind = "same" | "named" | "spelling" | "family"

interface Base {
  readonly card: ModelCard
  readonly kind: BaseKind
}

/** Returns a name in lower case, without the text up to its last slash, and then without `ft:`. */
const bareName = (name: string): string =>
  name.toLowerCase().replace(/^.*\//, "").replace(/^ft:/, "")

/** Matches the text that may follow a family's name: no short number, which is a version or size. */
const continues = /^(?:$|[-:@_.](?!\d{1,2}(?:\D|$)))/

interface NamedCard {
  readonly name: string
  readonly card: ModelCard
}

/** The names of a catalog's models without prefixes, the longest first. */
const names = new WeakMap<CatalogSnapshot, ReadonlyArray<NamedCard>>()

const namesOf = (shared: CatalogSnapshot): ReadonlyArray<NamedCard> => {
  const known = names.get(shared)
  if (known !== undefined) return known
  const all = shared.models
    .flatMap((card) => [card.modelId, ...card.aliases].map((name) => ({ name: bareName(name), card })))
    .sort((a, b) => b.name.length - a.name.length)
  names.set(shared, all)
  return all
}

/** Returns the model whose name is the longest beginning of the id; null if there is none. */
const familyOf = (shared: CatalogSnapshot, id: string): ModelCard | null => {
  const bare = bareName(id)
  const found = namesOf(shared).find(({ name }) =>
    bare.startsWith(name) && continues.test(bare.slice(name.length)))
  return found?.card ?? null
}

const baseOf = (
  shared: CatalogSnapshot,
  { baseModel, modelId }: Pick<AccountModel, "baseModel" | "modelId">
): Base | null => {
  const same = shared.models.find((card) => card.modelId === modelId)
  if (same !== undefined) return { card: same, kind: "same" }
  if (baseModel !== null) {
    const named = findListed(shared, baseModel)
    return named === undefined ? null : { card: named, kind: "named" }
  }
  const spelling = findListed(shared, modelId)
  if (spelling !== undefined) return { card: spelling, kind: "spelling" }
  const family = familyOf(shared, modelId)
  return family === null ? null : { card: family, kind: "family" }
}

const noPriors: Priors = {
  capabilityPriors: null, capabilityByTaskType: {}, capabilitySource: "none", capabilityAsOf: null
}

/** Sources of priors that were inferred, not measured. */
const inferred: ReadonlySet<string> = new Set(["family+price", "price+date", "none"])

/**
 * A declaration without abilities gets its base's priors. Measured priors of a base that is a different model
 * get the source `base_model` or `family`.
 */
const priorsOf = (model: AccountModel, base: Base | null): Priors => {
  const abilities = declaredAbilities(model)
  if (abilities !== null) return declaredPriors(abilities)
  if (base === null) return noPriors
  const { card, kind } = base
  const { capabilityAsOf, capabilityByTaskType: ofTypes, capabilityPriors } = card
  const isOwn = kind === "same" || kind === "spelling" || inferred.has(card.capabilitySource)
  return {
    capabilityPriors, capabilityByTaskType: ofTypes, capabilityAsOf,
    capabilitySource: isOwn ? card.capabilitySource : kind === "named" ? "base_model" : "family"
  }
}

/** A base that is only of the same family gives no prices, because the declared model's may differ. */
const pricedLike = (base: Base | null): ModelCard | null =>
  base === null || base.kind === "family" ? null : base.card

/**
 * A base that is only of the same family gives no facts. Regions and retirement are taken only if base and
 * declared model are the same model at the same provider.
 */
const knownFacts = (base: Base | null, provider: string): ModelFacts | undefined => {
  const facts = pricedLike(base)?.facts
  return facts === undefined || (base?.kind === "same" && base.card.provider === provider)
    ? facts
    : { ...facts, dataRegions: null, retiresOn: null }
}

/** Returns the identity that distinguishes models of the same id. Unknown fields are null. */
export const identityOf = (
  shared: CatalogSnapshot,
  model: Pick<AccountModel, "baseModel" | "modelId" | "provider" | "version">
): Readonly<Record<IdentityField, string | null>> => {
  const base = baseOf(shared, model)
  return {
    base_model: base?.card.modelId ?? model.baseModel,
    provider: (model.provider ?? pricedLike(base)?.provider ?? null)?.toLowerCase() ?? null,
    version: model.version
  }
}

export interface Resolved {
  readonly model: AccountModel
  readonly base: ModelCard | null
  /** True if the declared id is the id of a model of the catalog. */
  readonly isOverride: boolean
  readonly card: ModelCard | null
  /** Wire names of fields that must be declared, because no base gives them. */
  readonly missing: ReadonlyArray<string>
}

/** Fields that the model does not declare come from its base, as far as the base's kind allows. */
export const resolve = (shared: CatalogSnapshot, model: AccountModel): Resolved => {
  const base = baseOf(shared, model)
  const prices = pricedLike(base)
  const provider = model.provider ?? prices?.provider ?? null
  const inputCostPerMtok = model.inputCostPerMtok ?? prices?.inputCostPerMtok ?? null
  const outputCostPerMtok = model.outputCostPerMtok ?? prices?.outputCostPerMtok ?? null
  const contextWindow = model.contextWindow ?? base?.card.contextWindow ?? null
  const isOverride = base?.kind === "same"
  if (
    provider === null || inputCostPerMtok === null || outputCostPerMtok === null || contextWindow === null
  ) {
    const needed = {
      provider, input_cost_per_mtok: inputCostPerMtok, output_cost_per_mtok: outputCostPerMtok,
      context_window: contextWindow
    }
    const missing = Object.entries(needed).flatMap(([field, value]) => value === null ? [field] : [])
    return { model, base: base?.card ?? null, isOverride, card: null, missing }
  }
  const isPriced = model.inputCostPerMtok !== null || model.outputCostPerMtok !== null
    || model.cacheReadCostPerMtok !== null
  const cacheRead = model.cacheReadCostPerMtok ?? prices?.cacheReadCostPerMtok ?? null
  const {
    cacheWritePriceRatio: _ratio, effortLevels: _levels, extraPrices: _extras, facts: _facts, offerings,
    priceTiers: _tiers, ...ofBase
  } = base?.card ?? {}
  const card: ModelCard = {
    ...ofBase,
    modelId: model.modelId,
    provider,
    displayName: model.displayName ?? (isOverride ? base.card.displayName : model.modelId),
    inputCostPerMtok,
    outputCostPerMtok,
    ...pricesOver(prices, { ...model, inputCostPerMtok, outputCostPerMtok }),
    // The base's price of cached input may be higher than the declared price of input.
    cacheReadCostPerMtok: cacheRead !== null && cacheRead <= inputCostPerMtok ? cacheRead : null,
    supportsPromptCaching: model.supportsPromptCaching ?? prices?.supportsPromptCaching ?? cacheRead !== null,
    contextWindow,
    maxOutputTokens: model.maxOutputTokens ?? base?.card.maxOutputTokens ?? null,
    ...priorsOf(model, base),
    costSource: isPriced ? "account" : prices?.costSource ?? "account",
    costFetchedAt: isPriced ? null : prices?.costFetchedAt ?? null,
    costStale: isPriced ? false : prices?.costStale ?? false,
    ...(isOverride && offerings !== undefined ? { offerings } : {}),
    ...factsOver(knownFacts(base, provider), model, "account"),
    aliases: [...new Set([...model.aliases, ...(isOverride ? base.card.aliases : [])])],
    ...levelsOf(
      { effortLevels: model.effortLevels, hasPrices: isPriced, hasPriors: declaredAbilities(model) !== null },
      base?.card ?? null
    )
  }
  return { model, base: base?.card ?? null, isOverride, card, missing: [] }
}
