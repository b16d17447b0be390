/** What tokens cost at the list prices of a model: the one rule for estimates, bills and backtests. */
import type { Unit } from "../Task.ts"
import type { ListPrices, PriceTier } from "./Model.ts"

/** Tokens that list prices are for. */
const perMtok = 1_000_000

/** The tokens of a call, or of all calls of a run. */
export interface BilledTokens {
  /** All input, what a cache held included. */
  readonly input: number
  /** Part of the input that was read from a cache. */
  readonly cachedInput?: number
  /** Tokens of input whose price is what writing to a cache costs beyond that of the written input. */
  readonly writeSurcharge?: number
  readonly output: number
}

/** USD. */
export interface Cost {
  readonly inputUsd: number
  readonly outputUsd: number
}

/** The prices of a call with so many tokens of input: those of the highest tier below it hold for all. */
const pricesAt = (card: ListPrices, input: number): ListPrices | PriceTier =>
  card.priceTiers?.findLast(({ aboveInputTokens }) => input > aboveInputTokens) ?? card

/**
 * The cost of tokens at list prices. Cached input is at the price of reading the cache; without such a
 * price, or where it is the higher one, at that of any input. The size of a run's calls is not known: it has
 * the prices below every tier.
 */
export const costOf = (card: ListPrices, tokens: BilledTokens, unit: Unit = "call"): Cost => {
  const { cachedInput = 0, input, output, writeSurcharge = 0 } = tokens
  const prices = card.priceTiers === undefined || unit === "run" ? card : pricesAt(card, input)
  const { cacheReadCostPerMtok, inputCostPerMtok, outputCostPerMtok } = prices
  return {
    inputUsd: ((input - cachedInput + writeSurcharge) * inputCostPerMtok
      + cachedInput * Math.min(inputCostPerMtok, cacheReadCostPerMtok ?? Infinity)) / perMtok,
    outputUsd: output * outputCostPerMtok / perMtok
  }
}

/** {@link costOf} input and output together, USD. */
export const usdOf = (card: ListPrices, tokens: BilledTokens, unit?: Unit): number => {
  const { inputUsd, outputUsd } = costOf(card, tokens, unit)
  return inputUsd + outputUsd
}

const ratioOf = (to: number, from: number): number => from === 0 ? 1 : to / from

/** A price moved by a ratio, to twelve digits: 2.5 · 1.1 is 2.75. */
const movedBy = (price: number, ratio: number): number => Number((price * ratio).toPrecision(12))

/**
 * The tiers of a model where it is sold at other prices, in the same proportion to those below every tier.
 * Nobody states an offering's or a declared model's own, and without any a long prompt would look cheap.
 */
export const tiersAt = (
  from: ListPrices,
  to: Pick<ListPrices, "inputCostPerMtok" | "outputCostPerMtok">
): Pick<ListPrices, "priceTiers"> => {
  if (from.priceTiers === undefined) return {}
  const input = ratioOf(to.inputCostPerMtok, from.inputCostPerMtok)
  const output = ratioOf(to.outputCostPerMtok, from.outputCostPerMtok)
  return {
    priceTiers: from.priceTiers.map(({ aboveInputTokens, cacheReadCostPerMtok: cacheRead, ...tier }) => ({
      aboveInputTokens,
      inputCostPerMtok: movedBy(tier.inputCostPerMtok, input),
      outputCostPerMtok: movedBy(tier.outputCostPerMtok, output),
      cacheReadCostPerMtok: cacheRead === null ? null : movedBy(cacheRead, input)
    }))
  }
}
