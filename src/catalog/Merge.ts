/** Merges prices and facts of public sources into the known models, as far as they are believable. */
import { factsFrom, type ModelFacts, newerFacts } from "../domain/model/Facts.ts"
import { combinedExtras, tiersAt } from "../domain/model/Cost.ts"
import type { ListPrices, ModelCard, PriceTier } from "../domain/model/Model.ts"
import type { PriceRow, PriceRows } from "./PriceRows.ts"
import type { SourceName } from "./Sources.ts"

/** Share of the known models that a refresh must price, in [0, 1]; below it the last good catalog stays. */
export const matchedShareMin = 0.8

/** Largest believable ratio of the output price to the input price. */
const outputToInputMax = 20
/** Largest believable factor between two readings of one price, either way. */
const priceMoveMax = 5

interface SourceRows {
  readonly source: SourceName
  readonly rows: PriceRows
}

interface Merged {
  readonly cards: ReadonlyArray<ModelCard>
  /** How many models got a believable price from some source. */
  readonly matched: number
  /** Models that some source named, whose every price was unbelievable: they keep their last good row. */
  readonly quarantined: ReadonlyArray<string>
}

// A move from or to 0 is infinite: a paid model that turns free is far more likely a broken feed.
const moved = (last: number | null, next: number | null): boolean =>
  last !== null && next !== null && last !== next &&
  Math.max(last, next) > priceMoveMax * Math.min(last, next)

/** Whether the prices are not believable, whatever they were before. */
export const isContradictory = (next: ListPrices): boolean =>
  next.inputCostPerMtok < (next.cacheReadCostPerMtok ?? 0) ||
  next.outputCostPerMtok > outputToInputMax * next.inputCostPerMtok

/** Whether the prices are not believable by themselves, or not after `last`. */
export const isImplausible = (last: ListPrices, next: ListPrices): boolean =>
  isContradictory(next) ||
  moved(last.inputCostPerMtok, next.inputCostPerMtok) ||
  moved(last.outputCostPerMtok, next.outputCostPerMtok) ||
  moved(last.cacheReadCostPerMtok, next.cacheReadCostPerMtok)

/** The row under the model's exact id, else under its first listed alias; versions are never cut off. */
const rowFor = ({ modelId, aliases }: ModelCard, rows: PriceRows): PriceRow | undefined => {
  const name = [modelId, ...aliases].find((candidate) => rows.has(candidate))
  return name === undefined ? undefined : rows.get(name)
}

/**
 * The tiers of the first row that states believable ones at the prices that were taken, else the last known
 * ones, moved with these prices: a source without tiers does not say that there are none.
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

/** Every fact from the first source that states it. */
const factsIn = (
  offers: ReadonlyArray<{ readonly source: SourceName; readonly row: PriceRow }>,
  day: string
): Partial<ModelFacts> =>
  offers.reduceRight(
    (facts, { source, row }) => ({ ...facts, ...factsFrom(row.facts, source, day) }), {}
  )

/**
 * Overlays prices, sizes and facts on the cards that we know; a feed never adds or removes a model. Each
 * field comes from the first feed that states it believably; input and output price always come from the same
 * one.
 *
 * @param fetchedAt ISO 8601 instant at which the feeds were read
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
      // Two right sources may still contradict each other; then no discount is assumed.
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
