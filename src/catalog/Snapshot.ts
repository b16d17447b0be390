/** A catalog at one time: sorted cards, their version, and stale prices. */
import { Clock, Effect, Ref } from "effect"
import { createHash } from "node:crypto"
import type { CatalogSnapshot, ExtraPrices, ModelCard } from "../domain/model/Model.ts"

const hourMs = 3_600_000

/**
 * Ages from which prices are stale, ms. A source is read every few hours, so 72 h without it are an outage.
 * Bundled prices come with a release, and list prices seldom change within 30 days.
 */
export const staleAfterMs = { refreshed: 72 * hourMs, bundled: 30 * 24 * hourMs } as const

/** The source of prices that come with the service. */
const bundledSource = "bundled"

/** The rows of a catalog. The cards are sorted by {@link byInputPrice}. */
export interface CatalogRows {
  readonly cards: ReadonlyArray<ModelCard>
  readonly version: string
  readonly refreshedAtMs: number
  readonly costSource: string
}

/** Sorts by the price of input, then by id. */
export const byInputPrice = (left: ModelCard, right: ModelCard): number =>
  left.inputCostPerMtok - right.inputCostPerMtok
  || (left.modelId === right.modelId ? 0 : left.modelId < right.modelId ? -1 : 1)

const canonicalExtras = ({ serviceTierRatio = {}, ...fees }: ExtraPrices) =>
  [Object.entries(serviceTierRatio).sort(), Object.entries(fees).sort()]

/** The fields of a card that can change an answer. Source and time of a price are not among them. */
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
    // Only the values of facts, because their sources and dates change no answer.
    ...(card.offerings === undefined ? [] : [card.offerings]),
    ...(card.facts === undefined ? [] : [Object.values(card.facts).map((fact) => fact?.value ?? null)])
  ])

/**
 * The first 12 hexadecimal digits of a SHA-256 over the rows. Their order does not matter.
 *
 * @param over version of the shared catalog below the rows, or empty
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

/** Time at which the card's price was read, ms since 1970. Null for a price that never becomes stale. */
const fetchedAtMs = ({ costFetchedAt }: ModelCard): number | null =>
  costFetchedAt === null ? null : Date.parse(costFetchedAt)

/** The last time at which the card's price is fresh, ms since 1970, or infinity. */
const freshUntilMs = (card: ModelCard): number => {
  const atMs = fetchedAtMs(card)
  const age = card.costSource === bundledSource ? staleAfterMs.bundled : staleAfterMs.refreshed
  return atMs === null ? Number.POSITIVE_INFINITY : atMs + age
}

/**
 * The cards that decide whether the catalog is stale: the refreshed cards, if there are any. A bundled price
 * stays fresh for weeks, and so does not show that the sources are out.
 */
const telling = (models: ReadonlyArray<ModelCard>): ReadonlyArray<ModelCard> => {
  const refreshed = models.filter((card) => card.costSource !== bundledSource)
  return refreshed.length > 0 ? refreshed : models
}

/** The catalog at `nowMs`. It is stale if all cards of {@link telling} are stale. */
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

/** The next time after `nowMs` at which a price becomes stale, or infinity. */
const nextChangeMs = (rows: CatalogRows, nowMs: number): number =>
  rows.cards.reduce((soonest, card) => {
    const untilMs = freshUntilMs(card)
    return nowMs > untilMs ? soonest : Math.min(soonest, untilMs + 1)
  }, Number.POSITIVE_INFINITY)

/**
 * Reads the catalog at the present time. It yields the same snapshot object until a row changes or a price
 * becomes stale, so that readers may cache by it.
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
