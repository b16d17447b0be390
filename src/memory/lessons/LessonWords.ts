/* Phrases for the sentences of lessons. */
import { nameOf } from "../../domain/text/Text.ts"
import { counted } from "../../domain/text/Words.ts"

/** Writes US dollars roughly and without an exponent: `$0.0015`, `$12`. */
export const roughDollars = (usd: number): string => {
  if (usd === 0) return "$0"
  const digits = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(usd))))
  return `$${usd.toFixed(digits)}`
}

/** Writes a share in whole percent. */
export const wholePercent = (share: number): string => `${Math.round(share * 100)} %`

/**
 * Writes a rate such as `rate 80 %`. A rate that is not the percentage of `successes` in `outcomes` (> 0) is
 * called `mean quality`.
 */
export const rateBeside = (rate: number, successes: number, outcomes: number): string =>
  `${wholePercent(rate) === wholePercent(successes / outcomes) ? "rate" : "mean quality"}`
  + ` ${wholePercent(rate)}`

export const pointsBetween = (rate: number, other: number, otherName: string): string => {
  const points = Math.round((rate - other) * 100)
  return points === 0
    ? `level with ${otherName}`
    : `${counted(Math.abs(points), "point")} ${points > 0 ? "above" : "below"} ${otherName}`
}

export const preferring = (cluster: string, modelId: string): string =>
  `For ${cluster} prefer ${nameOf(modelId)}:`

export const approving = (cluster: string, modelId: string): string =>
  `For ${cluster} ${nameOf(modelId)} has worked too:`
