/* Offerings of a model: the model as a provider serves it in regions of its own, at prices of its own. */
import { modelIdOf, readArm } from "../domain/model/Arm.ts"
import type { CatalogSnapshot, ModelCard } from "../domain/model/Model.ts"
import { findModel } from "./Lookup.ts"
import { byInputPrice } from "./Snapshot.ts"

/** The card of an offering: its model's, whose id and outcomes it shares. */
interface OfferingCard extends ModelCard {
  /** The id by which a caller calls it. */
  readonly offeringId: string
}

/** The id of an offering; null for a card that is none's. */
const offeringIdOf = (card: ModelCard | OfferingCard): string | null =>
  "offeringId" in card ? card.offeringId : null

/** The id under which a prompt cache is kept: an offering has one of its own, a model's arms share one. */
export const cacheIdOf = (card: ModelCard): string => offeringIdOf(card) ?? modelIdOf(card.modelId)

export const isOffering = (card: ModelCard): boolean => offeringIdOf(card) !== null

/** Offerings by card: cards are immutable, and readers key what they know of a candidate by its card. */
const known = new WeakMap<ModelCard, ReadonlyArray<OfferingCard>>()

/** The offerings of a model, or of an arm of it, the cheapest input first. */
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
      offeringId,
      costSource: source,
      costFetchedAt: asOf,
      facts: { ...facts, dataRegions: { value: dataRegions, source, asOf }, retiresOn: null }
    }
  }).sort(byInputPrice)
  known.set(card, made)
  return made
}

/** An id without the level of effort that it names. */
const withoutEffort = (id: string): string => readArm(id)?.modelId ?? id

/** The offering that a caller's id of a model stands for; undefined where it is none. */
export const offeringNamed = (snapshot: CatalogSnapshot, id: string): ModelCard | undefined => {
  const card = findModel(snapshot, id)
  return card === undefined
    ? undefined
    : offeringsOf(card).find(({ offeringId }) => offeringId === withoutEffort(id))
}

/** Names, each without its level, and the model that it stands for. */
const read = (snapshot: CatalogSnapshot, names: ReadonlyArray<string>) =>
  names.map((name) => ({ name, base: withoutEffort(name), modelId: findModel(snapshot, name)?.modelId }))

/**
 * How a request that has `data_regions` or names an offering may be served: each card itself and its
 * offerings. Of named candidates, only what a name stands for: who names `gpt-5` has not said that Azure
 * serves it to him.
 *
 * @param candidateModels the names; null where the request names none
 */
export const servedBy = (
  snapshot: CatalogSnapshot,
  cards: ReadonlyArray<ModelCard>,
  candidateModels: ReadonlyArray<string> | null
): ReadonlyArray<ModelCard> => {
  const names = candidateModels === null ? null : read(snapshot, candidateModels)
  return cards.flatMap((card) => {
    // An id that the account gives to a model of its own is that model's.
    const offered = offeringsOf(card).filter(({ offeringId }) =>
      findModel(snapshot, offeringId)?.modelId === modelIdOf(card.modelId))
    if (names === null) return [card, ...offered]
    const ofCard = names.filter(({ modelId }) => modelId === card.modelId)
    const isOffered = (base: string) => offered.some(({ offeringId }) => offeringId === base)
    return [
      ...(ofCard.length === 0 || ofCard.some(({ base }) => !isOffered(base)) ? [card] : []),
      ...offered.filter(({ offeringId }) => ofCard.some(({ base }) => base === offeringId))
    ]
  }).sort(byInputPrice)
}

/** One card of each model, the first. */
export const onePerModel = (cards: ReadonlyArray<ModelCard>): ReadonlyArray<ModelCard> => {
  const ids = new Set<string>()
  return cards.filter(({ modelId }) => !ids.has(modelId) && ids.add(modelId))
}

/**
 * What a caller must call to get a card, by our ids: of an offering its own id, with the level of effort that
 * its arm has; of a model the first name that is none of its offerings'.
 */
export const callNames = (
  snapshot: CatalogSnapshot,
  cards: ReadonlyArray<ModelCard>,
  candidateModels: ReadonlyArray<string> | null
): ReadonlyArray<readonly [string, string]> => {
  const names = read(snapshot, candidateModels ?? [])
  return cards.flatMap((card) => {
    const id = offeringIdOf(card)
    const effort = readArm(card.modelId)?.effort
    const others = card.offerings?.map(({ offeringId }) => offeringId) ?? []
    const called = id !== null
      ? effort === undefined ? id : `${id}#${effort}`
      : names.find(({ base, modelId }) => modelId === card.modelId && !others.includes(base))?.name
    return called === undefined ? [] : [[card.modelId, called] as const]
  })
}
