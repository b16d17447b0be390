/** What tokens cost at the list prices of a model: the one rule for estimates, bills and backtests. */
import type { Unit } from "../Task.ts"
import type { ExtraPrices, ListPrices, PriceTier } from "./Model.ts"

/** Tokens that list prices are for. */
const perMtok = 1_000_000

/** What a call, or all calls of a run, used. */
export interface BilledUsage {
  /** All input tokens, what a cache held or took included. */
  readonly input: number
  /** Part of the input that was read from a cache. */
  readonly cachedInput?: number
  /** Part of the input that was written to a cache, and kept as is usual or for an hour. */
  readonly cacheWrite?: number
  readonly cacheWriteHour?: number
  readonly output: number
  /** As the provider names it; null for the usual one. */
  readonly serviceTier?: string | null
  /** Web searches that the provider ran, count. */
  readonly searches?: number
}

/** USD. */
export interface Cost {
  /** Of the input, and the fees of the call and of its searches. */
  readonly inputUsd: number
  readonly outputUsd: number
}

/** What providers and requests call the usual tier. `auto` is a request for whichever there is. */
const usualTiers: ReadonlySet<string> = new Set(["auto", "default", "on_demand", "standard", "standard_only"])

/** A batch costs half at each provider that has it: Anthropic, Google, Groq, Mistral and OpenAI. */
const batchRatio = 0.5

/** Price of all tokens at a service tier, relative to the usual; null where it is not known. */
export const tierRatioOf = ({ extraPrices }: ListPrices, serviceTier: string | null): number | null => {
  const tier = serviceTier?.toLowerCase()
  if (tier === undefined || usualTiers.has(tier)) return 1
  const stated = extraPrices?.serviceTierRatio ?? {}
  return Object.hasOwn(stated, tier) ? stated[tier]! : tier === "batch" ? batchRatio : null
}

/** The prices of a call with so many tokens of input: those of the highest tier below it hold for all. */
const pricesAt = (card: ListPrices, input: number): ListPrices | PriceTier =>
  card.priceTiers?.findLast(({ aboveInputTokens }) => input > aboveInputTokens) ?? card

/**
 * The cost of a usage at list prices. Cached input is at the price of reading the cache; without such a
 * price, or where it is the higher one, at that of any input. The size and number of a run's calls is not
 * known: it has the prices below every tier, and the fee of one call. What the card has no price of, by
 * {@link unpricedIn}, costs nothing extra.
 */
export const costOf = (card: ListPrices, usage: BilledUsage, unit: Unit = "call"): Cost => {
  const { cachedInput = 0, cacheWrite = 0, cacheWriteHour = 0, input, output, searches = 0 } = usage
  const prices = card.priceTiers === undefined || unit === "run" ? card : pricesAt(card, input)
  const { cacheReadCostPerMtok, inputCostPerMtok, outputCostPerMtok } = prices
  const { hour = 1, usual = 1 } = card.cacheWritePriceRatio ?? {}
  const { requestUsd = 0, searchUsd = 0 } = card.extraPrices ?? {}
  const ratio = tierRatioOf(card, usage.serviceTier ?? null) ?? 1
  const plainInput = input - cachedInput + cacheWrite * (usual - 1) + cacheWriteHour * (hour - 1)
  return {
    inputUsd: (plainInput * inputCostPerMtok
      + cachedInput * Math.min(inputCostPerMtok, cacheReadCostPerMtok ?? Infinity)) * ratio / perMtok
      + requestUsd + searches * searchUsd,
    outputUsd: output * outputCostPerMtok * ratio / perMtok
  }
}

/** {@link costOf} input and output together, USD. */
export const usdOf = (card: ListPrices, usage: BilledUsage, unit?: Unit): number => {
  const { inputUsd, outputUsd } = costOf(card, usage, unit)
  return inputUsd + outputUsd
}

/** What a usage may have and a card no price of. */
export const unpricedParts = ["cache_write", "service_tier", "web_search"] as const
type UnpricedPart = typeof unpricedParts[number]

/** What a usage has and the card no price of. Where all tokens are free, so are they at any tier. */
export const unpricedIn = (card: ListPrices, usage: BilledUsage): ReadonlyArray<UnpricedPart> => {
  const { cacheWrite = 0, cacheWriteHour = 0, searches = 0, serviceTier = null } = usage
  const { cacheWritePriceRatio: { hour, usual } = {}, inputCostPerMtok } = card
  const isPaid = inputCostPerMtok > 0 || card.outputCostPerMtok > 0
  const isWriteUnpriced = (cacheWrite > 0 && usual === undefined)
    || (cacheWriteHour > 0 && hour === undefined)
  return [
    ...(isWriteUnpriced && inputCostPerMtok > 0 ? ["cache_write" as const] : []),
    ...(isPaid && tierRatioOf(card, serviceTier) === null ? ["service_tier" as const] : []),
    ...(searches > 0 && card.extraPrices?.searchUsd === undefined ? ["web_search" as const] : [])
  ]
}

/** Prices that stand in where a card has none, so high that no limit is judged by a price below the real. */
export interface StandInPrices {
  readonly cacheWritePriceRatio: { readonly usual: number; readonly hour: number }
  /** Beside the usual prices: of `flex`, and of any other tier. */
  readonly flexRatio: number
  readonly otherTierRatio: number
  readonly searchUsd: number
}

/** The card with a price of all that a usage has. */
export const withStandIns = (
  card: ListPrices,
  { serviceTier }: Pick<BilledUsage, "serviceTier">,
  standIns: StandInPrices
): ListPrices => {
  const { flexRatio, otherTierRatio, searchUsd } = standIns
  const tier = serviceTier?.toLowerCase() ?? null
  const isUnknown = tier !== null && tierRatioOf(card, tier) === null
  const ratio = tier === "flex" ? flexRatio : otherTierRatio
  return {
    ...card,
    cacheWritePriceRatio: { ...standIns.cacheWritePriceRatio, ...card.cacheWritePriceRatio },
    extraPrices: {
      searchUsd,
      ...card.extraPrices,
      ...(isUnknown ? { serviceTierRatio: { ...card.extraPrices?.serviceTierRatio, [tier]: ratio } } : {})
    }
  }
}

/** Each extra price from the first that states it. */
export const combinedExtras = (
  stated: ReadonlyArray<ExtraPrices | undefined>
): Pick<ListPrices, "extraPrices"> => {
  const all = stated.filter((extras) => extras !== undefined).reverse()
  if (all.length === 0) return {}
  const tiers: Record<string, number> = Object.assign({}, ...all.map((each) => each.serviceTierRatio))
  const extraPrices: ExtraPrices = Object.assign({}, ...all)
  const isTiered = Object.keys(tiers).length > 0
  return { extraPrices: isTiered ? { ...extraPrices, serviceTierRatio: tiers } : extraPrices }
}

const ratioOf = (to: number, from: number): number => from === 0 ? 1 : to / from

/** A price moved by a ratio, to twelve digits: 2.5 · 1.1 is 2.75. */
const movedBy = (price: number, ratio: number): number => Number((price * ratio).toPrecision(12))

/**
 * The tiers of a model where it is sold at other prices, in the same proportion to those below every tier.
 * Offerings and declared models state no tiers of their own, and without any a long prompt would look cheap.
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
