/* Prices beyond the usual prices of tokens, as an account or a catalog file declares them. */
import { Schema } from "effect"
import { listOf } from "../text/Lists.ts"
import { costPerMtokMax, costProblem } from "../Units.ts"
import { described, nullable } from "../wire/Wire.ts"
import { combinedExtras, tiersAt } from "./Cost.ts"
import { CacheWritePriceRatio, ExtraPrices, type ListPrices, PriceTier } from "./Model.ts"

const priceTiersMax = 8

/** Returns why price tiers cannot be right; null if they can be right. */
const tiersProblem = (tiers: ReadonlyArray<PriceTier>): string | null => {
  const isRising = tiers.every(({ aboveInputTokens: above }, i) =>
    above > (tiers[i - 1]?.aboveInputTokens ?? 0))
  if (!isRising) return "Expected sizes of input that rise"
  const prices = tiers.flatMap(({ cacheReadCostPerMtok, inputCostPerMtok, outputCostPerMtok }) =>
    [cacheReadCostPerMtok ?? 0, inputCostPerMtok, outputCostPerMtok])
  if (prices.some((price) => price > costPerMtokMax)) return `Expected prices of at most ${costPerMtokMax}`
  return prices.map(costProblem).find((problem) => problem !== null) ?? null
}

export const declaredPrices = {
  priceTiers: described(
    nullable(listOf(PriceTier, { max: priceTiersMax }).check(
      Schema.makeFilter((tiers: ReadonlyArray<PriceTier>) => tiersProblem(tiers) ?? true)
    )),
    "Prices of calls with much input, the smallest size first. An empty list means that there are no such "
      + "prices."
  ),
  cacheWritePriceRatio: described(
    nullable(CacheWritePriceRatio),
    "Prices of input written to a cache, as multiples of the price of input: `usual`, and for an `hour`."
  ),
  extraPrices: described(
    nullable(ExtraPrices),
    "Prices of service tiers as multiples of the usual ones, and fees of calls and web searches, USD."
  )
}

type Declared = Pick<ListPrices, "inputCostPerMtok" | "outputCostPerMtok"> & {
  readonly [Name in keyof typeof declaredPrices]: ListPrices[Name] & {} | null
}

/** Takes undeclared prices from the base model, and scales its tiers by input size to the model's prices. */
export const pricesOver = (
  base: ListPrices | null,
  { cacheWritePriceRatio, extraPrices, priceTiers, ...usual }: Declared
): Pick<ListPrices, keyof typeof declaredPrices> => {
  const ratios = { ...base?.cacheWritePriceRatio, ...cacheWritePriceRatio }
  const ofBase = base === null ? {} : tiersAt(base, usual)
  return {
    ...(priceTiers === null ? ofBase : priceTiers.length === 0 ? {} : { priceTiers }),
    ...(Object.keys(ratios).length === 0 ? {} : { cacheWritePriceRatio: ratios }),
    ...combinedExtras([extraPrices ?? undefined, base?.extraPrices])
  }
}
