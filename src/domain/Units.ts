/* Schemas of numbers with their units and ranges. */
import { Schema, SchemaTransformation } from "effect"
import * as Rounding from "./Rounding.ts"
import { dayMs, isDay } from "./Time.ts"

/** A probability or a quality, in [0, 1]. */
export const Probability = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** US dollars >= 0. An explicit 0 means that nothing was paid, not that the amount is unknown. */
export const Usd = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** Highest accepted price of tokens, US dollars per million; a higher price is surely in another unit. */
export const costPerMtokMax = 10_000

/** US dollars per million tokens, in [0, {@link costPerMtokMax}]. An explicit 0 means free tokens. */
export const CostPerMtok = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: costPerMtokMax }))

/** Lowest believable price above 0, USD per million tokens. */
const costPerMtokMin = 0.0005

/** Returns why a price cannot be per million tokens; null if it can be, or if it is 0 or unknown. */
export const costProblem = (usdPerMtok: number | null): string | null =>
  usdPerMtok === null || usdPerMtok === 0 || usdPerMtok >= costPerMtokMin
    ? null
    : `${usdPerMtok} looks like the price of one token; of a million it is `
      + `${Number((usdPerMtok * 1e6).toPrecision(12))}`

/** A limit of a model in tokens, in [1, 1e9]. */
export const Size = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1e9 }))

/** Highest amount that a request may send, US dollars, so that sums stay finite. */
export const usdSentMax = 1e6

export const UsdSent = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: usdSentMax }))

const sentAs = (round: (value: number) => number) => (schema: typeof Schema.Finite) =>
  schema.pipe(Schema.decodeTo(
    schema,
    SchemaTransformation.transform({ decode: (value: number) => value, encode: round })
  ))

/** A number in an answer, sent with six significant digits. */
export const Figure = Schema.Finite.pipe(sentAs(Rounding.figure))

export const Share = Probability.pipe(sentAs(Rounding.probability))

/** An amount in an answer, US dollars, sent with up to twelve decimals; negative for a loss. */
export const UsdFigure = Schema.Finite.pipe(sentAs(Rounding.usd))

/** A price in an answer, US dollars, >= 0, sent with up to twelve decimals. */
export const Price = Usd.pipe(sentAs(Rounding.usd))

export const tokensMax = 1e12

/** A count of tokens, in [0, {@link tokensMax}]. */
export const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: tokensMax }))

/** Whole milliseconds, in [0, 1e12]. */
export const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))

/** A count of anything, in [0, 1e12]. */
export const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))

/** The cost/quality slider, in [0, 10], which sets the success threshold. */
export const Slider = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 }))

const datesPattern = /^(\d{4}-\d{2}-\d{2})\/(\d{4}-\d{2}-\d{2})$/

const datesMax = 366

/**
 * Reads a text such as `2026-11-01/2026-11-14` as the range from the first day's start to the last day's end,
 * UTC.
 */
export const rangeOf = (dates: string): { readonly since: Date; readonly until: Date } => {
  const [, first = "", last = ""] = datesPattern.exec(dates) ?? []
  return { since: new Date(`${first}T00:00:00Z`), until: new Date(Date.parse(`${last}T00:00:00Z`) + dayMs) }
}

const isRange = (text: string): boolean => {
  const [, first, last] = datesPattern.exec(text) ?? []
  if (first === undefined || last === undefined || !isDay(first) || !isDay(last)) return false
  const { since, until } = rangeOf(text)
  return since < until && until.getTime() - since.getTime() <= datesMax * dayMs
}

const datesExpected =
  "Expected two dates, the first not after the second and at most 366 days, such as 2026-11-01/2026-11-14"

/** Calendar dates of a report, UTC, both included, which cover at most 366 days. */
export const ReportDates = Schema.String.check(Schema.makeFilter(
  (text: string) => isRange(text) || datesExpected,
  { toJsonSchema: () => ({ pattern: datesPattern.source }) }
))

/** Window of a report up to now, days, in (0, 365]. */
export const ReportDays = Schema.Finite.check(
  Schema.isGreaterThan(0),
  Schema.isLessThanOrEqualTo(365)
)
