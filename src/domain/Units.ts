/* Schemas of numbers with their units and ranges. */
import { Schema } from "effect"

/** Probability or quality, in [0, 1]. */
export const Probability = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** US dollars, >= 0. An explicit 0 is a measurement. */
export const Usd = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** US dollars that a request sends, in [0, 1e6]: sums of them stay finite whatever an account reports. */
export const UsdSent = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e6 }))

/** Count of tokens, >= 0 and below 2^53. */
export const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))

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
