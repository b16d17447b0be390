/** Costs of calls and runs at a model's list prices. */
import type { Unit } from "../Task.ts"
import type { ExtraPrices, ListPrices, PriceTier } from "./Model.ts"

const perMtok = 1_000_000

export interface BilledUsage {
  /** All input tokens, including tokens read from a cache and written to a cache. */
  readonly input: number
  readonly cachedInput?: number
  /** Number of input tokens that were written to a cache for its usual time, and for an hour. */
  readonly cacheWrite?: number
  readonly cacheWriteHour?: number
  readonly output: number
  /** Service tier, in the provider's words; null for the usual tier. */
  readonly serviceTier?: string | null
  readonly searches?: number
}

export interface Cost {
  /** Cost of the input, including the fees of the call and its searches. */
  readonly inputUsd: number
  readonly outputUsd: number
}

/** Names of the usual service tier. The tier `auto` in a request asks for any tier. */
const usualTiers: ReadonlySet<string> = new Set(["auto", "default", "on_demand", "standard", "standard_only"])

/** Price of a batch relative to the usual price, at Anthropic, Google, Groq, Mistral and OpenAI. */
const batchRatio = 0.5

/** Returns the ratio of a service tier's price to the usual price; null if the ratio is unknown. */
export const tierRatioOf = ({ extraPrices }: ListPrices, serviceTier: string | null): number | null => {
  const tier = serviceTier?.toLowerCase()
  if (tier === undefined || usualTiers.has(tier)) return 1
  const stated = extraPrices?.serviceTierRatio ?? {}
  return Object.hasOwn(stated, tier) ? stated[tier]! : tier === "batch" ? batchRatio : null
}

/** The highest price tier whose size is below the call's input applies to all tokens of the call. */
const pricesAt = (card: ListPrices, input: number): ListPrices | PriceTier =>
  card.priceTiers?.findLast(({ aboveInputTokens }) => input > aboveInputTokens) ?? card

/**
 * Cost at list prices. Cached input never costs more than other input. A run is priced like one call without
 * price tiers, because its calls are not known. A part without a price (see {@link unpricedIn}) costs nothing
 * extra.
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

export const usdOf = (card: ListPrices, usage: BilledUsage, unit?: Unit): number => {
  const { inputUsd, outputUsd } = costOf(card, usage, unit)
  return inputUsd + outputUsd
}

export const unpricedParts = ["cache_write", "service_tier", "web_search"] as const
type UnpricedPart = typeof unpricedParts[number]

/** If all tokens of a model are free, the tokens are free at every tier. */
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

/** High prices that replace unknown prices, so that no limit is judged by too low a price. */
export interface StandInPrices {
  readonly cacheWritePriceRatio: { readonly usual: number; readonly hour: number }
  /** Ratio of the price of the tier `flex` to the usual price, and ratio for any other unknown tier. */
  readonly flexRatio: number
  readonly otherTierRatio: number
  readonly searchUsd: number
}

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

/** Each price comes from the first source that states it. */
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

/** Multiplies a price by a ratio, rounded to twelve significant digits: 2.5 · 1.1 is 2.75. */
const movedBy = (price: number, ratio: number): number => Number((price * ratio).toPrecision(12))

/** Scales a model's price tiers to another seller's prices, so that a long prompt does not look too cheap. */
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
