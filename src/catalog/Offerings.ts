/* Offerings of a model. An offering is the model at one provider, with own regions and prices. */
import { modelIdOf, withoutLevel, writtenAs } from "../domain/model/ModelVariant.ts"
import { tierRatioOf, tiersAt } from "../domain/model/Cost.ts"
import type { CatalogSnapshot, ModelCard } from "../domain/model/Model.ts"
import { findModel } from "./Lookup.ts"
import { readingsOf } from "./names/Routes.ts"
import { keyOf, shortened } from "./names/Suffixes.ts"
import { type RouteVariant, routeVariantOf } from "./names/RouteVariants.ts"
import { byInputPrice } from "./Snapshot.ts"

/** The card of an offering. It has the id of its model, because both share their outcomes. */
interface OfferingCard extends ModelCard {
  /** The id that a caller uses for the offering. */
  readonly offeringId: string
  /** True if the offering's prices are unknown. The card then has its model's prices. */
  readonly isPriceUnknown?: true
}

const offeringIdOf = (card: ModelCard | OfferingCard): string | null =>
  "offeringId" in card ? card.offeringId : null

/** The id of a card's prompt cache. An offering has its own cache, and the variants of a model share one. */
export const cacheIdOf = (card: ModelCard): string => offeringIdOf(card) ?? modelIdOf(card.modelId)

/** True if the card has its model's prices because its own are unknown, for example `gpt-5:online`. */
export const isPriceUnknown = (card: ModelCard | OfferingCard): boolean =>
  "isPriceUnknown" in card && card.isPriceUnknown === true

/** Cached offerings by card. A card always gets the same objects, because readers cache by card. */
const known = new WeakMap<ModelCard, ReadonlyArray<OfferingCard>>()

/** The offerings of a model or a variant, the cheapest input first. */
const offeringsOf = (card: ModelCard): ReadonlyArray<OfferingCard> => {
  const kept = known.get(card)
  if (kept !== undefined) return kept
  const made = (card.offerings ?? []).map((offering): OfferingCard => {
    const { asOf, dataRegions, offeringId, source, ...served } = offering
    const facts = card.facts ?? {
      supportsImages: null, supportsAudio: null, supportsFiles: null, supportsTools: null,
      supportsStructuredOutput: null, supportsReasoning: null
    }
    return {
      ...card,
      ...served,
      ...tiersAt(card, served),
      offeringId,
      costSource: source,
      costFetchedAt: asOf,
      facts: { ...facts, dataRegions: { value: dataRegions, source, asOf }, retiresOn: null }
    }
  }).sort(byInputPrice)
  known.set(card, made)
  return made
}

const noMakers: ReadonlySet<string> = new Set()

/** The keys of a name: of the whole name, and without one ending after the other. */
const keysOf = (name: string): ReadonlyArray<string> => {
  const rest = shortened(name, true)
  return [keyOf(name), ...rest === null ? [] : keysOf(rest.name)]
}

/**
 * The model's offering with this name. It is looked up after each prefix and ending that is taken off. After
 * the last one, a name like `bedrock/eu.anthropic.claude-sonnet-4-5` would be the model itself.
 */
const offeringBy = (card: ModelCard, name: string): OfferingCard | undefined => {
  const offered = offeringsOf(card).map((offering) => ({ offering, keys: keysOf(offering.offeringId) }))
  if (offered.length === 0) return undefined
  for (const reading of readingsOf(name, noMakers)) {
    for (const key of keysOf(reading.name)) {
      const found = offered.find(({ keys }) => keys.includes(key))
      if (found !== undefined) return found.offering
    }
  }
  return undefined
}

/** Extra prices of a route. A tier's route has that tier with the ratio 1, and a free route has no fees. */
const extrasOfRoute = (
  { extraPrices }: ModelCard,
  { priceRatio, word }: RouteVariant
): Pick<ModelCard, "extraPrices"> => {
  if (priceRatio === "tier") return { extraPrices: { ...extraPrices, serviceTierRatio: { [word]: 1 } } }
  return extraPrices === undefined || priceRatio === 0 ? {} : { extraPrices }
}

const madeRoute = (card: ModelCard | OfferingCard, id: string, variant: RouteVariant): OfferingCard => {
  const { extraPrices: _, ...of } = card
  const priceRatio = variant.priceRatio === "tier" ? tierRatioOf(card, variant.word) : variant.priceRatio
  const ratio = priceRatio ?? 1
  const prices = {
    inputCostPerMtok: of.inputCostPerMtok * ratio, outputCostPerMtok: of.outputCostPerMtok * ratio
  }
  return {
    ...of,
    ...prices,
    ...tiersAt(of, prices),
    ...extrasOfRoute(card, variant),
    offeringId: id,
    cacheReadCostPerMtok: of.cacheReadCostPerMtok === null ? null : of.cacheReadCostPerMtok * ratio,
    ...(priceRatio === null ? { isPriceUnknown: true } : {})
  }
}

/** The offering or the route variant that a name of the card's model means. */
const servedAs = (card: ModelCard, name: string): OfferingCard | undefined => {
  const isOwn = (own: string) => readingsOf(name, noMakers).some((reading) => reading.name === own)
  const ended = routeVariantOf(name)
  if (ended === null) return offeringBy(card, name)
  // If the catalog has the name with its ending, it has its own prices.
  if ([withoutLevel(card.modelId), ...card.aliases].some(isOwn)) return undefined
  const of = offeringBy(card, ended.name)
  const id = `${of?.offeringId ?? modelIdOf(card.modelId)}:${ended.variant.word}`
  return madeRoute(of ?? card, id, ended.variant)
}

/** Most cached names of a card, count. Callers spell a model in few ways. Chosen. */
const rememberedMax = 64

const remembered = new WeakMap<ModelCard, Map<string, OfferingCard | undefined>>()

/** The card's offering with this name. The same offering id always gives the same object. */
const offeringOf = (card: ModelCard, name: string): OfferingCard | undefined => {
  const names = remembered.get(card) ?? new Map<string, OfferingCard | undefined>()
  remembered.set(card, names)
  if (names.has(name)) return names.get(name)
  const made = servedAs(card, name)
  const known = made === undefined
    ? undefined
    : [...names.values()].find((each) => each?.offeringId === made.offeringId)
  if (names.size >= rememberedMax) names.clear()
  names.set(name, known ?? made)
  return known ?? made
}

/** The offering that a caller's id means. Undefined if it means the model itself. */
export const offeringNamed = (snapshot: CatalogSnapshot, id: string): ModelCard | undefined => {
  const card = findModel(snapshot, id)
  return card === undefined || card.modelId === id ? undefined : offeringOf(card, withoutLevel(id))
}

/** The card with the prices of a caller's id: the offering's, else the model's. */
export const servedModel = (snapshot: CatalogSnapshot, id: string): ModelCard | undefined =>
  offeringNamed(snapshot, id) ?? findModel(snapshot, id)

/** Resolves names to models and, if they name one, to offerings. */
const read = (snapshot: CatalogSnapshot, names: ReadonlyArray<string>) =>
  names.map((name) => ({
    name, modelId: findModel(snapshot, name)?.modelId, offering: offeringNamed(snapshot, name)
  }))

/**
 * The cards that may serve a request with `data_regions` or with a named offering: each card and its
 * offerings. If the request names candidates, only named offerings may serve it: `gpt-5` does not select
 * Azure's deployment.
 *
 * @param candidateModels the names, or null if the request names none
 */
export const servedBy = (
  snapshot: CatalogSnapshot,
  cards: ReadonlyArray<ModelCard>,
  candidateModels: ReadonlyArray<string> | null
): ReadonlyArray<ModelCard> => {
  const names = candidateModels === null ? null : read(snapshot, candidateModels)
  return cards.flatMap((card) => {
    if (names === null) {
      // An account's own model may have the id of an offering. The id then means that model.
      return [card, ...offeringsOf(card).filter(({ offeringId }) =>
        findModel(snapshot, offeringId)?.modelId === modelIdOf(card.modelId))]
    }
    const ofCard = names.filter(({ modelId }) => modelId === card.modelId)
    return [
      ...(ofCard.length === 0 || ofCard.some(({ offering }) => offering === undefined) ? [card] : []),
      ...new Set(ofCard.flatMap(({ offering }) => offering ?? []))
    ]
  }).sort(byInputPrice)
}

/** The first card of each model. */
export const onePerModel = (cards: ReadonlyArray<ModelCard>): ReadonlyArray<ModelCard> => {
  const ids = new Set<string>()
  return cards.filter(({ modelId }) => !ids.has(modelId) && ids.add(modelId))
}

/**
 * Pairs of a card's id and the caller's first name for the card. An offering that the caller did not name has
 * its own id as name.
 */
export const callNames = (
  snapshot: CatalogSnapshot,
  cards: ReadonlyArray<ModelCard>,
  candidateModels: ReadonlyArray<string> | null
): ReadonlyArray<readonly [string, string]> => {
  const names = read(snapshot, candidateModels ?? [])
  return cards.flatMap((card) => {
    const id = offeringIdOf(card)
    const named = names.find(({ modelId, offering }) =>
      modelId === card.modelId && (offering === undefined ? null : offeringIdOf(offering)) === id)?.name
    const called = named ?? (id === null ? null : writtenAs(id, card.modelId))
    return called === null ? [] : [[card.modelId, called] as const]
  })
}
