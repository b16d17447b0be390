/* Offerings of a model: the model as a provider serves it in regions of its own, at prices of its own. */
import { modelIdOf, withoutLevel, writtenAs } from "../domain/model/ModelVariant.ts"
import { tierRatioOf, tiersAt } from "../domain/model/Cost.ts"
import type { CatalogSnapshot, ModelCard } from "../domain/model/Model.ts"
import { findModel } from "./Lookup.ts"
import { readingsOf } from "./names/Routes.ts"
import { keyOf, shortened } from "./names/Suffixes.ts"
import { type RouteVariant, routeVariantOf } from "./names/RouteVariants.ts"
import { byInputPrice } from "./Snapshot.ts"

/** The card of an offering: its model's, whose id and outcomes it shares. */
interface OfferingCard extends ModelCard {
  /** The id by which a caller calls it. */
  readonly offeringId: string
  /** Whether its prices are not known: those of the card are its model's. */
  readonly isPriceUnknown?: true
}

/** The id of an offering; null for a card that is none's. */
const offeringIdOf = (card: ModelCard | OfferingCard): string | null =>
  "offeringId" in card ? card.offeringId : null

/**
 * The id under which a prompt cache is kept: an offering has one of its own, a model's variants share one.
 */
export const cacheIdOf = (card: ModelCard): string => offeringIdOf(card) ?? modelIdOf(card.modelId)

export const isOffering = (card: ModelCard): boolean => offeringIdOf(card) !== null

/** Whether the card's prices are its model's while its own are not known: `gpt-5:online`. */
export const isPriceUnknown = (card: ModelCard | OfferingCard): boolean =>
  "isPriceUnknown" in card && card.isPriceUnknown === true

/** Offerings by card: cards are immutable, and readers key what they know of a candidate by its card. */
const known = new WeakMap<ModelCard, ReadonlyArray<OfferingCard>>()

/** The offerings of a model, or of a variant of it, the cheapest input first. */
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

/** A name as it is, and without one ending after another, in the form in which spellings are compared. */
const keysOf = (name: string): ReadonlyArray<string> => {
  const rest = shortened(name, true)
  return [keyOf(name), ...rest === null ? [] : keysOf(rest.name)]
}

/**
 * The offering of a model that a name stands for: looked up after each prefix and ending that is taken off,
 * since what is left of `bedrock/eu.anthropic.claude-sonnet-4-5` in the end is the model itself.
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

/** A service tier of its own is the usual one of a variant, and what is free has no fee. */
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

/** The offering that a name of the card's model stands for, a variant included. */
const servedAs = (card: ModelCard, name: string): OfferingCard | undefined => {
  const isOwn = (own: string) => readingsOf(name, noMakers).some((reading) => reading.name === own)
  const ended = routeVariantOf(name)
  if (ended === null) return offeringBy(card, name)
  // A name that the catalog has with its ending has prices of its own.
  if ([withoutLevel(card.modelId), ...card.aliases].some(isOwn)) return undefined
  const of = offeringBy(card, ended.name)
  const id = `${of?.offeringId ?? modelIdOf(card.modelId)}:${ended.variant.word}`
  return madeRoute(of ?? card, id, ended.variant)
}

/** Names that are remembered of one card, count. Chosen: callers spell a model in few ways. */
const rememberedMax = 64

const remembered = new WeakMap<ModelCard, Map<string, OfferingCard | undefined>>()

/** The offering of this card that a name stands for, by its id one and the same card. */
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

/** The offering that a caller's id of a model stands for; undefined where it is none. */
export const offeringNamed = (snapshot: CatalogSnapshot, id: string): ModelCard | undefined => {
  const card = findModel(snapshot, id)
  return card === undefined || card.modelId === id ? undefined : offeringOf(card, withoutLevel(id))
}

/** The card whose prices a caller's id names: that of an offering, else of the model. */
export const servedModel = (snapshot: CatalogSnapshot, id: string): ModelCard | undefined =>
  offeringNamed(snapshot, id) ?? findModel(snapshot, id)

/** Names, each with the model that it stands for, and the offering if it stands for one. */
const read = (snapshot: CatalogSnapshot, names: ReadonlyArray<string>) =>
  names.map((name) => ({
    name, modelId: findModel(snapshot, name)?.modelId, offering: offeringNamed(snapshot, name)
  }))

/**
 * How a request that has `data_regions` or names an offering may be served: each card itself and its
 * offerings. If the request names candidates, an offering counts only if it is named: `gpt-5` alone does not
 * select Azure's deployment.
 *
 * @param candidateModels the names; null if the request names none
 */
export const servedBy = (
  snapshot: CatalogSnapshot,
  cards: ReadonlyArray<ModelCard>,
  candidateModels: ReadonlyArray<string> | null
): ReadonlyArray<ModelCard> => {
  const names = candidateModels === null ? null : read(snapshot, candidateModels)
  return cards.flatMap((card) => {
    if (names === null) {
      // An id that the account gives to a model of its own is that model's.
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

/** One card of each model, the first. */
export const onePerModel = (cards: ReadonlyArray<ModelCard>): ReadonlyArray<ModelCard> => {
  const ids = new Set<string>()
  return cards.filter(({ modelId }) => !ids.has(modelId) && ids.add(modelId))
}

/**
 * The names by which a caller calls the cards, by our ids: the first name that it gave the model. An offering
 * that no candidate names, and its variants, are called by their own ids.
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
