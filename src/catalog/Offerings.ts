/* Offerings of a model. An offering is the model at one provider, with its own regions and prices. */
import { modelIdOf, withoutLevel, writtenAs } from "../domain/model/ModelVariant.ts"
import { tierRatioOf, tiersAt } from "../domain/model/Cost.ts"
import type { CatalogSnapshot, ModelCard } from "../domain/model/Model.ts"
import { findModel } from "./Lookup.ts"
import { readingsOf } from "./names/Routes.ts"
import { keyOf, shortened } from "./names/Suffixes.ts"
import { type RouteVariant, routeVariantOf } from "./names/RouteVariants.ts"
import { byInputPrice } from "./Snapshot.ts"

/** The card of an offering has the id of its model, because offerings and model share their outcomes. */
interface OfferingCard extends ModelCard {
  /** The id by which a caller calls the offering. */
  readonly offeringId: string
  /** True if the offering's own prices are unknown, so that the offering has its model's prices. */
  readonly isPriceUnknown?: true
}

const offeringIdOf = (card: ModelCard | OfferingCard): string | null =>
  "offeringId" in card ? card.offeringId : null

/** A prompt cache belongs to an offering or, without one, to a model with all its variants. */
export const cacheIdOf = (card: ModelCard): string => offeringIdOf(card) ?? modelIdOf(card.modelId)

/**
 * Returns true for a card such as `gpt-5:online`, which has its model's prices because its own are unknown.
 */
export const isPriceUnknown = (card: ModelCard | OfferingCard): boolean =>
  "isPriceUnknown" in card && card.isPriceUnknown === true

/** Cached offerings by card: readers use cards as cache keys, so an offering must stay the same object. */
const known = new WeakMap<ModelCard, ReadonlyArray<OfferingCard>>()

/** Returns the offerings of a model or a variant, sorted by input price. */
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

/** Returns the whole name, and the name with more and more endings removed. */
const keysOf = (name: string): ReadonlyArray<string> => {
  const rest = shortened(name, true)
  return [keyOf(name), ...rest === null ? [] : keysOf(rest.name)]
}

/** A name is looked up again after each prefix and each ending that is removed from it. */
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

/** A service tier's route already has the tier's prices, so its ratio is 1. The route `:free` has no fees. */
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

const servedAs = (card: ModelCard, name: string): OfferingCard | undefined => {
  const isOwn = (own: string) => readingsOf(name, noMakers).some((reading) => reading.name === own)
  const ended = routeVariantOf(name)
  if (ended === null) return offeringBy(card, name)
  // If the name with its ending is the card's id or alias, the name means the card itself.
  if ([withoutLevel(card.modelId), ...card.aliases].some(isOwn)) return undefined
  const of = offeringBy(card, ended.name)
  const id = `${of?.offeringId ?? modelIdOf(card.modelId)}:${ended.variant.word}`
  return madeRoute(of ?? card, id, ended.variant)
}

const rememberedMax = 64

const remembered = new WeakMap<ModelCard, Map<string, OfferingCard | undefined>>()

/** Returns the card's offering that a name means; undefined if the name means the model itself. */
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

/** Returns undefined if the caller's id means no offering. */
export const offeringNamed = (snapshot: CatalogSnapshot, id: string): ModelCard | undefined => {
  const card = findModel(snapshot, id)
  return card === undefined || card.modelId === id ? undefined : offeringOf(card, withoutLevel(id))
}

/** Returns the card with the prices of a caller's id: the prices of the offering, otherwise the model's. */
export const servedModel = (snapshot: CatalogSnapshot, id: string): ModelCard | undefined =>
  offeringNamed(snapshot, id) ?? findModel(snapshot, id)

const read = (snapshot: CatalogSnapshot, names: ReadonlyArray<string>) =>
  names.map((name) => ({
    name, modelId: findModel(snapshot, name)?.modelId, offering: offeringNamed(snapshot, name)
  }))

/**
 * Returns the cards and offerings that may serve a request. If the request names candidates, only named
 * offerings may serve it, so `gpt-5` does not select Azure's deployment.
 * @param candidateModels the names; null if the request names no candidates
 */
export const servedBy = (
  snapshot: CatalogSnapshot,
  cards: ReadonlyArray<ModelCard>,
  candidateModels: ReadonlyArray<string> | null
): ReadonlyArray<ModelCard> => {
  const names = candidateModels === null ? null : read(snapshot, candidateModels)
  return cards.flatMap((card) => {
    if (names === null) {
      // An offering whose id names one of the account's own models is left out.
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

export const onePerModel = (cards: ReadonlyArray<ModelCard>): ReadonlyArray<ModelCard> => {
  const ids = new Set<string>()
  return cards.filter(({ modelId }) => !ids.has(modelId) && ids.add(modelId))
}

/**
 * Returns pairs of a card's id and the first name by which the caller named the card. An offering that the
 * caller did not name has its own id as name; other unnamed cards get no pair.
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
