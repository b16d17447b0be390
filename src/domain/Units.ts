/* Schemas of numbers with their units and ranges. */
import { Schema, SchemaTransformation } from "effect"
import * as Rounding from "./Rounding.ts"

/** Probability or quality, in [0, 1]. */
export const Probability = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** US dollars, >= 0. An explicit 0 is a measurement. */
export const Usd = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** US dollars that a request sends, in [0, 1e6]: sums of them stay finite whatever an account reports. */
export const UsdSent = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e6 }))

/** A number that is sent rounded, and read as it comes. */
const sentAs = (round: (value: number) => number) => (schema: typeof Schema.Finite) =>
  schema.pipe(Schema.decodeTo(
    schema,
    SchemaTransformation.transform({ decode: (value: number) => value, encode: round })
  ))

/** A number of an answer that is no amount of money: sent with six significant digits. */
export const Figure = Schema.Finite.pipe(sentAs(Rounding.figure))

/** A probability of an answer, sent with six decimals. */
export const Share = Probability.pipe(sentAs(Rounding.probability))

/** US dollars of an answer, below 0 for a loss, sent with twelve decimals. */
export const UsdFigure = Schema.Finite.pipe(sentAs(Rounding.usd))

/** A price of an answer, in US dollars, >= 0, sent with twelve decimals. */
export const Price = Usd.pipe(sentAs(Rounding.usd))

/** The highest count of tokens. */
export const tokensMax = 1e12

/** Count of tokens, >= 0 and below 2^53. */
export const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: tokensMax }))

/** Whole milliseconds, >= 0. */
export const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))

/** A count of anything, >= 0 and below 2^53. */
export const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))

/** The cost/quality slider: 0 is cheapest acceptable, 10 is highest quality. */
export const Slider = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 }))

/** Look-back window of a report, in days: above 0, at most 365. */
export const ReportDays = Schema.Finite.check(
  Schema.isGreaterThan(0),
  Schema.isLessThanOrEqualTo(365)
)
