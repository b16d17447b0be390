/** A catalog at one time: sorted cards, a version, and which prices are stale. */
import { Clock, Effect, Ref } from "effect"
import { createHash } from "node:crypto"
import type { CatalogSnapshot, ExtraPrices, ModelCard } from "../domain/model/Model.ts"

const hourMs = 3_600_000

/**
 * Age from which a price is stale, ms, by where it comes from. A source is read every few hours, so that 72 h
 * without one is an outage. Bundled prices come with a release, and list prices seldom change within 30 days.
 */
export const staleAfterMs = { refreshed: 72 * hourMs, bundled: 30 * 24 * hourMs } as const

/** The source of a price that came with the service. */
const bundledSource = "bundled"

/** The rows of a catalog: cards sorted by {@link byInputPrice}, and the sources of their prices. */
export interface CatalogRows {
  readonly cards: ReadonlyArray<ModelCard>
  readonly version: string
  readonly refreshedAtMs: number
  readonly costSource: string
}

/** Cheapest input first; of equal prices by id. */
export const byInputPrice = (left: ModelCard, right: ModelCard): number =>
  left.inputCostPerMtok - right.inputCostPerMtok
  || (left.modelId === right.modelId ? 0 : left.modelId < right.modelId ? -1 : 1)

const canonicalExtras = ({ serviceTierRatio = {}, ...fees }: ExtraPrices) =>
  [Object.entries(serviceTierRatio).sort(), Object.entries(fees).sort()]

/** Everything of a card that can change an answer; when and where a price was read cannot. */
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
    // What the facts are; who says so and since when changes no answer.
    ...(card.offerings === undefined ? [] : [card.offerings]),
    ...(card.facts === undefined ? [] : [Object.values(card.facts).map((fact) => fact?.value ?? null)])
  ])

/**
 * First 12 hex digits of SHA-256 over the canonical rows; the order of the rows does not matter.
 *
 * @param over version of the catalog that the rows lie over; empty for a catalog of its own
 */
export const versionOf = (cards: ReadonlyArray<ModelCard>, over = ""): string =>
  createHash("sha256")
    .update(over)
    .update(cards.toSorted((a, b) => (a.modelId < b.modelId ? -1 : 1)).map(canonical).join("\n"))
    .digest("hex")
    .slice(0, 12)

/** Sorts and hashes the cards of one catalog. */
export const rowsOf = (
  cards: ReadonlyArray<ModelCard>,
  origin: { readonly refreshedAtMs: number; readonly costSource: string }
): CatalogRows => ({ cards: cards.toSorted(byInputPrice), version: versionOf(cards), ...origin })

/** When the card's price was read, in epoch milliseconds; null for a price that never goes stale. */
const fetchedAtMs = ({ costFetchedAt }: ModelCard): number | null =>
  costFetchedAt === null ? null : Date.parse(costFetchedAt)

/** The last instant at which the card's price is fresh, epoch ms; infinite for one that stays fresh. */
const freshUntilMs = (card: ModelCard): number => {
  const atMs = fetchedAtMs(card)
  const age = card.costSource === bundledSource ? staleAfterMs.bundled : staleAfterMs.refreshed
  return atMs === null ? Number.POSITIVE_INFINITY : atMs + age
}

/**
 * The cards whose prices tell the age of the catalog: the refreshed ones, where there are any. A bundled
 * price that no source states stays fresh for weeks, and says nothing of sources that are out.
 */
const telling = (models: ReadonlyArray<ModelCard>): ReadonlyArray<ModelCard> => {
  const refreshed = models.filter((card) => card.costSource !== bundledSource)
  return refreshed.length > 0 ? refreshed : models
}

/** The catalog as of `nowMs`: it is stale when every card that tells its age is. */
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

/** The next instant after `nowMs` at which some price turns stale; infinite when none will. */
const nextChangeMs = (rows: CatalogRows, nowMs: number): number =>
  rows.cards.reduce((soonest, card) => {
    const untilMs = freshUntilMs(card)
    return nowMs > untilMs ? soonest : Math.min(soonest, untilMs + 1)
  }, Number.POSITIVE_INFINITY)

/**
 * Reads the catalog by the clock. The same snapshot object is handed out until a row changes or a price turns
 * stale, so readers may key their own indexes by it.
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
