/** The rows read from the public sources of prices and facts, without values that cannot be right. */
import { Option, Predicate, Record, Schema } from "effect"
import type { StatedFacts } from "../domain/model/Facts.ts"
import {
  CacheWriteRatio, Fee, isTierName, type ListPrices, type PriceTier, ServiceTierRatio
} from "../domain/model/Model.ts"
import { CostPerMtok, Size } from "../domain/Units.ts"

/** Prices are in USD per million tokens. */
export interface PriceRow extends Pick<ListPrices, "cacheWritePriceRatio" | "extraPrices"> {
  readonly inputCostPerMtok: number
  readonly outputCostPerMtok: number
  readonly cacheReadCostPerMtok: number | null
  /** Prices of calls with much input, sorted by the input's size; absent if the source has no valid ones. */
  readonly priceTiers?: ReadonlyArray<PriceTier>
  readonly contextWindow: number | null
  readonly maxOutputTokens: number | null
  readonly facts: StatedFacts
}

/** Rows by the source's names. The type is a Map, so that `__proto__` is a name like any other. */
export type PriceRows = ReadonlyMap<string, PriceRow>

const DecimalText = Schema.String.check(Schema.isPattern(/^\d{1,6}(\.\d{1,20})?([eE]-?\d{1,2})?$/))

const decodeCost = Schema.decodeUnknownOption(CostPerMtok)
export const decodeSize = Schema.decodeUnknownOption(Size)
const decodeRatio = Schema.decodeUnknownOption(CacheWriteRatio)
const decodeTierRatio = Schema.decodeUnknownOption(ServiceTierRatio)
const decodeFee = Schema.decodeUnknownOption(Fee)
export const decodeText = Schema.decodeUnknownOption(DecimalText)

type ReadCost = (value: unknown) => Option.Option<number>

export const perMtok: ReadCost = (value) => decodeCost(value)

/** Rounds to twelve significant digits, so that 2.5e-8 · 1e6 is 0.025 and not 0.024999999999999998. */
const rounded = (value: number): number => Number(value.toPrecision(12))

export const perToken: ReadCost = (value) =>
  typeof value === "number" ? decodeCost(rounded(value * 1e6)) : Option.none()

export const perTokenText: ReadCost = (value) =>
  Option.flatMap(decodeText(value), (text) => perToken(Number(text)))

export const field = (value: unknown, key: string): unknown =>
  Predicate.isObject(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

export const entries = (value: unknown): ReadonlyArray<[string, unknown]> =>
  Predicate.isObject(value) && !Array.isArray(value) ? Object.entries(value) : []

/** A price tier as a source states it, not yet checked, for calls with more than `above` input tokens. */
export interface StatedTier {
  readonly above: number
  readonly input: unknown
  readonly output: unknown
  readonly cacheRead: unknown
}

const tiersOf = (read: ReadCost, stated: ReadonlyArray<StatedTier>): Pick<PriceRow, "priceTiers"> => {
  const tiers = stated.flatMap(({ above, cacheRead, input, output }): ReadonlyArray<PriceTier> => {
    const [inputPrice, outputPrice] = [read(input), read(output)]
    if (Option.isNone(inputPrice) || Option.isNone(outputPrice)) return []
    return [{
      aboveInputTokens: above, inputCostPerMtok: inputPrice.value, outputCostPerMtok: outputPrice.value,
      cacheReadCostPerMtok: Option.getOrNull(read(cacheRead))
    }]
  })
  return tiers.length === 0
    ? {}
    : { priceTiers: tiers.sort((a, b) => a.aboveInputTokens - b.aboveInputTokens) }
}

/** Returns the prices of writing to a cache, divided by the input price. Implausible ratios are dropped. */
const writeRatiosOf = (
  read: ReadCost,
  input: number,
  stated: { readonly usual: unknown; readonly hour: unknown }
): Pick<PriceRow, "cacheWritePriceRatio"> => {
  const ratios = Record.getSomes(Record.map(stated, (price) =>
    Option.flatMap(read(price), (usd) => decodeRatio(rounded(usd / input)))))
  return Record.isEmptyRecord(ratios) ? {} : { cacheWritePriceRatio: ratios }
}

/** The prices of a service tier as a source states them, not yet checked. */
export interface StatedServiceTier {
  readonly serviceTier: unknown
  readonly input: unknown
  readonly output: unknown
}

/** Service tiers and fees as a source states them, not yet checked. Fees are in USD. */
export interface StatedExtras {
  readonly serviceTiers?: ReadonlyArray<StatedServiceTier>
  readonly requestUsd?: unknown
  readonly searchUsd?: unknown
}

/**
 * A service tier gets the higher of its price ratios for input and output. A fee of 0 is dropped, because
 * sources write 0 if they know no fee.
 */
const extrasOf = (
  read: ReadCost,
  usual: { readonly input: number; readonly output: number },
  { requestUsd, searchUsd, serviceTiers = [] }: StatedExtras
): Pick<PriceRow, "extraPrices"> => {
  const ratios = serviceTiers.flatMap(({ input, output, serviceTier }): ReadonlyArray<[string, number]> => {
    const [inputPrice, outputPrice] = [read(input), read(output)]
    if (typeof serviceTier !== "string" || Option.isNone(inputPrice) || Option.isNone(outputPrice)) return []
    const ratio = Math.max(inputPrice.value / usual.input, outputPrice.value / usual.output)
    return [[serviceTier.toLowerCase(), rounded(ratio)]]
  })
  const known = ratios.filter(([tier, ratio]) => isTierName(tier) && Option.isSome(decodeTierRatio(ratio)))
  const fees = Record.filter(
    Record.getSomes({ requestUsd: decodeFee(requestUsd), searchUsd: decodeFee(searchUsd) }), (usd) => usd > 0
  )
  const extraPrices = {
    ...(known.length === 0 ? {} : { serviceTierRatio: Object.fromEntries(known) }), ...fees
  }
  return Object.keys(extraPrices).length === 0 ? {} : { extraPrices }
}

/** Reads a row of a source; null if a token price is invalid, or if that of input or output is missing. */
export const rowOf = (read: ReadCost, row: {
  readonly input: unknown
  readonly output: unknown
  readonly cacheRead: unknown
  readonly cacheWrite: { readonly usual: unknown; readonly hour: unknown }
  readonly tiers?: ReadonlyArray<StatedTier>
  readonly extras?: StatedExtras
  readonly contextWindow: unknown
  readonly maxOutput: unknown
  readonly facts: StatedFacts
}): PriceRow | null => {
  const input = read(row.input)
  const output = read(row.output)
  const cacheRead = Predicate.isNullish(row.cacheRead) ? Option.some(null) : read(row.cacheRead)
  if (Option.isNone(input) || Option.isNone(output) || Option.isNone(cacheRead)) return null
  return {
    inputCostPerMtok: input.value,
    outputCostPerMtok: output.value,
    cacheReadCostPerMtok: cacheRead.value,
    ...writeRatiosOf(read, input.value, row.cacheWrite),
    ...tiersOf(read, row.tiers ?? []),
    ...extrasOf(read, { input: input.value, output: output.value }, row.extras ?? {}),
    contextWindow: Option.getOrNull(decodeSize(row.contextWindow)),
    maxOutputTokens: Option.getOrNull(decodeSize(row.maxOutput)),
    facts: row.facts
  }
}

export const collect = (rows: ReadonlyArray<readonly [string, PriceRow | null]>): PriceRows => {
  const kept = new Map<string, PriceRow>()
  // Many rows have equal facts, which are stored once.
  const sets = new Map<string, StatedFacts>()
  for (const [name, row] of rows) {
    if (row === null || kept.has(name)) continue
    const key = JSON.stringify(row.facts)
    const facts = sets.get(key) ?? row.facts
    sets.set(key, facts)
    kept.set(name, { ...row, facts })
  }
  return kept
}
