/* Numbers in the sentences of lessons. */
import { nameOf } from "../../domain/text/Text.ts"
import { counted } from "../../domain/text/Words.ts"

/** US dollars with two significant digits and no exponent, for means over few bills: `$0.0015`, `$12`. */
export const roughDollars = (usd: number): string => {
  if (usd === 0) return "$0"
  const digits = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(usd))))
  return `$${usd.toFixed(digits)}`
}

/** A share in whole percent, rounded; unlike `Words.percent` it may show a measured rate as 0 % or 100 %. */
export const wholePercent = (share: number): string => `${Math.round(share * 100)} %`

/**
 * A success rate in words, beside `successes` of `outcomes` > 0. It is called a rate where it equals their
 * share; otherwise it is the mean of the outcomes' qualities, weighted by age and source, and called so.
 */
export const rateBeside = (rate: number, successes: number, outcomes: number): string =>
  `${wholePercent(rate) === wholePercent(successes / outcomes) ? "rate" : "mean quality"}`
  + ` ${wholePercent(rate)}`

/** The difference of two success rates in words, in percentage points. */
export const pointsBetween = (rate: number, other: number, otherName: string): string => {
  const points = Math.round((rate - other) * 100)
  return points === 0
    ? `level with ${otherName}`
    : `${counted(Math.abs(points), "point")} ${points > 0 ? "above" : "below"} ${otherName}`
}

/** The words for the preferred model of a cluster, and for others that succeeded there. */
export const preferring = (cluster: string, modelId: string): string =>
  `For ${cluster} prefer ${nameOf(modelId)}:`
export const approving = (cluster: string, modelId: string): string =>
  `For ${cluster} ${nameOf(modelId)} has worked too:`
