/** The policies that reports compare, as functions of the log. */
import type { OutcomeLog } from "./OutcomeLog.ts"

/**
 * Returns the index of the picked candidate in the log's columns, or -1 if the row is not judged. A rule may
 * read only values that were logged before the outcome.
 */
export type PolicyRule = (log: OutcomeLog, row: number) => number

/** Largest difference of costs that count as equal, USD. */
export const costTieUsd = 1e-9

/** Picks the candidate with the highest logged prediction; -1 if there are no candidates. */
const likeliest: PolicyRule = (log, row) => {
  const from = log.first[row]!
  const to = log.first[row + 1]!
  let best = from < to ? from : -1
  for (let at = from + 1; at < to; at++) if (log.prediction[at]! > log.prediction[best]!) best = at
  return best
}

/** Picks the allowed candidate with the lowest `usd`. The higher prediction wins among equal costs. */
const lowest = (
  log: OutcomeLog,
  row: number,
  usd: (at: number) => number,
  isOpen: (at: number) => boolean = () => true
): number => {
  let best = -1
  for (let at = log.first[row]!; at < log.first[row + 1]!; at++) {
    if (!isOpen(at)) continue
    const lead = best === -1 ? Infinity : usd(best) - usd(at)
    if (lead > costTieUsd || (lead >= -costTieUsd && log.prediction[at]! > log.prediction[best]!)) best = at
  }
  return best
}

const cheapest = (log: OutcomeLog, row: number, isOpen?: (at: number) => boolean): number =>
  lowest(log, row, (at) => log.costUsd[at]!, isOpen)

/** Picks the cheapest eligible candidate, or the likeliest candidate if none is eligible. */
export const cheapestEligible: PolicyRule = (log, row) => {
  const pick = cheapest(log, row, (at) => log.isEligible[at] === 1)
  return pick === -1 ? likeliest(log, row) : pick
}

/** Picks the cheapest candidate that reaches the threshold, or the likeliest if none reaches it. */
export const cheapestAt = (threshold: number): PolicyRule => (log, row) => {
  const pick = cheapest(log, row, (at) => log.prediction[at]! >= threshold)
  return pick === -1 ? likeliest(log, row) : pick
}

export const alwaysCheapest: PolicyRule = (log, row) => cheapest(log, row)

export const alwaysPremium: PolicyRule = (log, row) => lowest(log, row, (at) => -log.costUsd[at]!)

/** Picks the candidate with the highest net value, if a success is worth `valueUsd`. */
export const worthMost = (valueUsd: number): PolicyRule => (log, row) =>
  lowest(log, row, (at) => log.costUsd[at]! - log.prediction[at]! * valueUsd)

/**
 * Computes values of a success at which picks may differ, in US dollars, with one significant digit. Each
 * value is a quantile of the rows' prices of one more success, times a factor. A row's price compares its
 * cheapest and likeliest candidates: (difference of cost) / (difference of prediction).
 *
 * @param places for each value, its quantile among the rows' prices, in [0, 1), and its factor
 */
export const valuesAmong = (
  log: OutcomeLog,
  places: ReadonlyArray<readonly [share: number, factor: number]>
): ReadonlyArray<number> => {
  const slopes = Float64Array.from({ length: log.rows }, (_, row) => {
    const [cheap, likely] = [alwaysCheapest(log, row), likeliest(log, row)]
    if (cheap < 0) return 0
    const gain = log.prediction[likely]! - log.prediction[cheap]!
    return gain > 0 ? (log.costUsd[likely]! - log.costUsd[cheap]!) / gain : 0
  }).filter((slope) => slope > costTieUsd).sort()
  const values = slopes.length === 0 ? [] : places.map(([share, factor]) =>
    Number((slopes[Math.floor(share * slopes.length)]! * factor).toPrecision(1)))
  return [...new Set(values)]
}

/** Picks the candidate `entries[row]`; -1 if the policy is not judged on this row. */
export const chosen = (entries: Int32Array): PolicyRule => (_, row) => entries[row]!

/** Picks one model if it is a candidate, else the likeliest. Rows with indexes below `since` get -1. */
export const single = (model: number, since: number): PolicyRule => (log, row) => {
  if (row < since) return -1
  for (let at = log.first[row]!; at < log.first[row + 1]!; at++) if (log.model[at] === model) return at
  return likeliest(log, row)
}
