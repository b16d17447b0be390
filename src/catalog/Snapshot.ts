/** A catalog at one time: sorted cards, a version, and which prices are stale. */
import { Clock, Effect, Ref } from "effect"
import { createHash } from "node:crypto"
import type { CatalogSnapshot, ModelCard } from "../domain/Model.ts"

/** A price older than this is stale: 72 hours, in milliseconds. */
export const staleAfterMs = 72 * 3_600_000

/** What a driver holds: cards sorted by {@link byInputPrice}, and where their prices come from. */
export interface CatalogRows {
  readonly cards: ReadonlyArray<ModelCard>
  readonly version: string
  readonly refreshedAtMs: number
  readonly costSource: string
}

const byInputPrice = (left: ModelCard, right: ModelCard): number =>
  left.inputCostPerMtok - right.inputCostPerMtok || (left.modelId < right.modelId ? -1 : 1)

/** Everything of a card that can change an answer; when and where a price was read cannot. */
const canonical = (card: ModelCard): string =>
  JSON.stringify([
    card.modelId, card.provider, card.displayName, card.inputCostPerMtok, card.outputCostPerMtok,
    card.cacheReadCostPerMtok, card.supportsPromptCaching, card.contextWindow, card.maxOutputTokens,
    Object.entries(card.capabilityPriors ?? {}).sort(), Object.entries(card.capabilityByTaskType).sort(),
    card.capabilityEffectiveN, card.capabilitySource, card.verbosity, card.aliases.toSorted()
  ])

/** First 12 hex digits of SHA-256 over the canonical rows; the order of the rows does not matter. */
export const versionOf = (cards: ReadonlyArray<ModelCard>): string =>
  createHash("sha256")
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

const isStaleAt = (atMs: number | null, nowMs: number): boolean =>
  atMs !== null && nowMs - atMs > staleAfterMs

/** The catalog as of `nowMs`: a card is stale 72 h after its price was read, the catalog when all are. */
export const snapshotAt = (rows: CatalogRows, nowMs: number): CatalogSnapshot => {
  const models = rows.cards.map((card) => {
    const costStale = isStaleAt(fetchedAtMs(card), nowMs)
    return costStale === card.costStale ? card : { ...card, costStale }
  })
  return {
    models,
    version: rows.version,
    refreshedAt: new Date(rows.refreshedAtMs),
    stale: models.length > 0 && models.every((card) => card.costStale),
    costSource: rows.costSource
  }
}

/** The next instant after `nowMs` at which some price turns stale; infinite when none will. */
const nextChangeMs = (rows: CatalogRows, nowMs: number): number =>
  rows.cards.reduce((soonest, card) => {
    const atMs = fetchedAtMs(card)
    return atMs === null || isStaleAt(atMs, nowMs) ? soonest : Math.min(soonest, atMs + staleAfterMs + 1)
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
