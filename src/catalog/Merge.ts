/** Merges believable prices and facts of public sources into the known models. */
import { factsFrom, type ModelFacts, newerFacts } from "../domain/model/Facts.ts"
import { combinedExtras, tiersAt } from "../domain/model/Cost.ts"
import type { ListPrices, ModelCard, PriceTier } from "../domain/model/Model.ts"
import type { PriceRow, PriceRows } from "./PriceRows.ts"
import type { SourceName } from "./Sources.ts"

/**
 * Minimum share of the known models for which a refresh must find a price, in [0, 1]. If a refresh finds too
 * few prices, the last good catalog stays in use.
 */
export const matchedShareMin = 0.8

/** Maximum believable ratio of the output price to the input price. */
const outputToInputMax = 20
/** Maximum believable factor between two readings of a price, up or down. */
const priceMoveMax = 5

interface SourceRows {
  readonly source: SourceName
  readonly rows: PriceRows
}

interface Merged {
  readonly cards: ReadonlyArray<ModelCard>
  readonly matched: number
  /** Models that keep their last good prices, because no price that a source states is believable. */
  readonly quarantined: ReadonlyArray<string>
}

// A price's change to or from 0 counts as too large: a broken feed is likelier than a free model.
const moved = (last: number | null, next: number | null): boolean =>
  last !== null && next !== null && last !== next &&
  Math.max(last, next) > priceMoveMax * Math.min(last, next)

export const isContradictory = (next: ListPrices): boolean =>
  next.inputCostPerMtok < (next.cacheReadCostPerMtok ?? 0) ||
  next.outputCostPerMtok > outputToInputMax * next.inputCostPerMtok

/** Returns true if prices contradict each other, or differ from `last` by more than a factor of 5. */
export const isImplausible = (last: ListPrices, next: ListPrices): boolean =>
  isContradictory(next) ||
  moved(last.inputCostPerMtok, next.inputCostPerMtok) ||
  moved(last.outputCostPerMtok, next.outputCostPerMtok) ||
  moved(last.cacheReadCostPerMtok, next.cacheReadCostPerMtok)

/** Returns the row with the model's exact id; otherwise the row of the first alias that has a row. */
const rowFor = ({ modelId, aliases }: ModelCard, rows: PriceRows): PriceRow | undefined => {
  const name = [modelId, ...aliases].find((candidate) => rows.has(candidate))
  return name === undefined ? undefined : rows.get(name)
}

/**
 * The tiers come from the first row that has the chosen prices and believable tiers. If no row has believable
 * tiers, the last known tiers are scaled to the chosen prices, because a source may omit tiers.
 */
const tiersIn = (
  rows: readonly [PriceRow, ...ReadonlyArray<PriceRow>],
  last: ListPrices
): Pick<ListPrices, "priceTiers"> => {
  const [taken] = rows
  const isBelievable = (tier: PriceTier) =>
    !isContradictory(tier) && tier.inputCostPerMtok >= taken.inputCostPerMtok
    && tier.outputCostPerMtok >= taken.outputCostPerMtok && !isImplausible(
      { ...tier, cacheReadCostPerMtok: null }, { ...taken, cacheReadCostPerMtok: null }
    )
  const stated = rows.find(({ inputCostPerMtok, outputCostPerMtok, priceTiers }) =>
    inputCostPerMtok === taken.inputCostPerMtok && outputCostPerMtok === taken.outputCostPerMtok
    && priceTiers?.every(isBelievable) === true)
  return stated?.priceTiers === undefined ? tiersAt(last, taken) : { priceTiers: stated.priceTiers }
}

const firstOf = (
  rows: ReadonlyArray<PriceRow>,
  key: Exclude<keyof PriceRow, "cacheWritePriceRatio" | "extraPrices" | "facts" | "priceTiers">
): number | null =>
  rows.find((row) => row[key] !== null)?.[key] ?? null

/** Of several sources that state a fact, the first one counts. */
const factsIn = (
  offers: ReadonlyArray<{ readonly source: SourceName; readonly row: PriceRow }>,
  day: string
): Partial<ModelFacts> =>
  offers.reduceRight(
    (facts, { source, row }) => ({ ...facts, ...factsFrom(row.facts, source, day) }), {}
  )

/**
 * A feed never adds or removes a model. Most fields come from the first feed that has believable prices and
 * states the field. The input price and the output price come from the same feed.
 * @param fetchedAt time at which the feeds were read, ISO 8601
 */
export const merge = (
  cards: ReadonlyArray<ModelCard>,
  feeds: ReadonlyArray<SourceRows>,
  fetchedAt: string
): Merged => {
  const quarantined: Array<string> = []
  let matched = 0
  const merged = cards.map((card): ModelCard => {
    const offers = feeds.flatMap(({ source, rows }) => {
      const row = rowFor(card, rows)
      return row === undefined ? [] : [{ source, row }]
    })
    const believable = offers.filter(({ row }) => !isImplausible(card, row))
    const first = believable[0]
    if (first === undefined) {
      if (offers.length > 0) quarantined.push(card.modelId)
      return card
    }
    matched += 1
    const rows = [first.row, ...believable.slice(1).map(({ row }) => row)] as const
    const cacheRead = firstOf(rows, "cacheReadCostPerMtok") ?? card.cacheReadCostPerMtok
    const ratios = rows.flatMap(({ cacheWritePriceRatio }) => cacheWritePriceRatio ?? [])
    const { inputCostPerMtok, outputCostPerMtok } = first.row
    return {
      ...card,
      inputCostPerMtok,
      outputCostPerMtok,
      ...tiersIn(rows, card),
      ...combinedExtras([...rows, card].map(({ extraPrices }) => extraPrices)),
      // If the price of cached input exceeds the price of input, no discount is assumed.
      cacheReadCostPerMtok: cacheRead !== null && cacheRead <= inputCostPerMtok ? cacheRead : null,
      ...(ratios.length === 0 ? {} : {
        cacheWritePriceRatio: ratios.reduceRight(
          (known, ratio) => ({ ...known, ...ratio }), card.cacheWritePriceRatio ?? {}
        )
      }),
      contextWindow: firstOf(rows, "contextWindow") ?? card.contextWindow,
      maxOutputTokens: firstOf(rows, "maxOutputTokens") ?? card.maxOutputTokens,
      ...newerFacts(card.facts, factsIn(believable, fetchedAt.slice(0, 10))),
      costSource: first.source,
      costFetchedAt: fetchedAt,
      costStale: false
    }
  })
  return { cards: merged, matched, quarantined }
}
