/** The catalog at one moment: its sorted cards, their version, and whether prices are stale. */
import { Clock, Effect, Ref } from "effect"
import { createHash } from "node:crypto"
import type { CatalogSnapshot, ExtraPrices, ModelCard } from "../domain/model/Model.ts"

const hourMs = 3_600_000

/**
 * A public source is read every few hours, so 72 h without a reading are an outage. Bundled prices come with
 * a release.
 */
export const staleAfterMs = { refreshed: 72 * hourMs, bundled: 30 * 24 * hourMs } as const

const bundledSource = "bundled"

/** The cards are sorted by {@link byInputPrice}. */
export interface CatalogRows {
  readonly cards: ReadonlyArray<ModelCard>
  readonly version: string
  readonly refreshedAtMs: number
  readonly costSource: string
}

/** Compares two cards by the price of input, and then by id. */
export const byInputPrice = (left: ModelCard, right: ModelCard): number =>
  left.inputCostPerMtok - right.inputCostPerMtok
  || (left.modelId === right.modelId ? 0 : left.modelId < right.modelId ? -1 : 1)

const canonicalExtras = ({ serviceTierRatio = {}, ...fees }: ExtraPrices) =>
  [Object.entries(serviceTierRatio).sort(), Object.entries(fees).sort()]

/** Returns the parts of a card that a version covers, without the source and the time of the card's price. */
const canonical = (card: ModelCard): string =>
  JSON.stringify([
    card.modelId, card.provider, card.displayName, card.inputCostPerMtok, card.outputCostPerMtok,
    card.cacheReadCostPerMtok, card.supportsPromptCaching, card.contextWindow, card.maxOutputTokens,
    Object.entries(card.capabilityPriors ?? {}).sort(), Object.entries(card.capabilityByTaskType).sort(),
    card.capabilitySource, card.aliases.toSorted(),
    ...(card.effortLevels === undefined ? [] : [card.effortLevels]),
    ...(card.priceTiers === undefined ? [] : [card.priceTiers]),
    ...(card.cacheWritePriceRatio === undefined ? [] : [Object.entries(card.cacheWritePriceRatio).sort()]),
    ...(card.extraPrices === undefined ? [] : [canonicalExtras(card.extraPrices)]),
    // For facts, the version covers the values but not their sources and dates.
    ...(card.offerings === undefined ? [] : [card.offerings]),
    ...(card.facts === undefined ? [] : [Object.values(card.facts).map((fact) => fact?.value ?? null)])
  ])

/**
 * The order of the cards does not change the version.
 * @param over version of the shared catalog to which the cards are added; empty if there is none
 */
export const versionOf = (cards: ReadonlyArray<ModelCard>, over = ""): string =>
  createHash("sha256")
    .update(over)
    .update(cards.toSorted((a, b) => (a.modelId < b.modelId ? -1 : 1)).map(canonical).join("\n"))
    .digest("hex")
    .slice(0, 12)

export const rowsOf = (
  cards: ReadonlyArray<ModelCard>,
  origin: { readonly refreshedAtMs: number; readonly costSource: string }
): CatalogRows => ({ cards: cards.toSorted(byInputPrice), version: versionOf(cards), ...origin })

/** Returns when the card's price was read, ms since 1970; null for a price that never becomes stale. */
const fetchedAtMs = ({ costFetchedAt }: ModelCard): number | null =>
  costFetchedAt === null ? null : Date.parse(costFetchedAt)

/** Returns the last time at which the card's price is fresh, ms since 1970; infinity if always fresh. */
const freshUntilMs = (card: ModelCard): number => {
  const atMs = fetchedAtMs(card)
  const age = card.costSource === bundledSource ? staleAfterMs.bundled : staleAfterMs.refreshed
  return atMs === null ? Number.POSITIVE_INFINITY : atMs + age
}

/**
 * Returns the cards that decide whether the catalog is stale: the refreshed cards, or all cards if none is
 * refreshed. A bundled price does not show whether the sources are down.
 */
const telling = (models: ReadonlyArray<ModelCard>): ReadonlyArray<ModelCard> => {
  const refreshed = models.filter((card) => card.costSource !== bundledSource)
  return refreshed.length > 0 ? refreshed : models
}

/** Marks the cards whose prices are stale at `nowMs`, ms since 1970. */
export const snapshotAt = (rows: CatalogRows, nowMs: number): CatalogSnapshot => {
  const models = rows.cards.map((card) => {
    const costStale = nowMs > freshUntilMs(card)
    return costStale === card.costStale ? card : { ...card, costStale }
  })
  return {
    models,
    version: rows.version,
    refreshedAt: new Date(rows.refreshedAtMs),
    stale: models.length > 0 && telling(models).every((card) => card.costStale),
    costSource: rows.costSource
  }
}

/** Returns the next time after `nowMs` at which a price becomes stale; infinity if there is none. */
const nextChangeMs = (rows: CatalogRows, nowMs: number): number =>
  rows.cards.reduce((soonest, card) => {
    const untilMs = freshUntilMs(card)
    return nowMs > untilMs ? soonest : Math.min(soonest, untilMs + 1)
  }, Number.POSITIVE_INFINITY)

/**
 * The snapshot stays the same object until the rows are replaced or a price becomes stale, so that readers
 * may use it as a cache key.
 */
export const reader = (rows: Ref.Ref<CatalogRows>): Effect.Effect<CatalogSnapshot> => {
  let held: { rows: CatalogRows; fromMs: number; untilMs: number; snapshot: CatalogSnapshot } | null = null
  return Effect.zipWith(Ref.get(rows), Clock.currentTimeMillis, (current, nowMs) => {
    if (held === null || held.rows !== current || nowMs < held.fromMs || nowMs >= held.untilMs) {
      const snapshot = snapshotAt(current, nowMs)
      held = { rows: current, fromMs: nowMs, untilMs: nextChangeMs(current, nowMs), snapshot }
    }
    return held.snapshot
  })
}
