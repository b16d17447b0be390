/** The policies that reports compare, as functions of the log. */
import type { OutcomeLog } from "./OutcomeLog.ts"

/**
 * The pick of a policy on a row: the entry of a candidate, or -1 if the policy is not judged there. It may
 * read only what was logged before the outcome.
 */
export type PolicyRule = (log: OutcomeLog, row: number) => number

/** Difference of costs up to which they are equal and the better prediction wins, USD. */
export const costTieUsd = 1e-9

/** The candidate with the highest logged prediction; -1 without candidates. */
const likeliest: PolicyRule = (log, row) => {
  const from = log.first[row]!
  const to = log.first[row + 1]!
  let best = from < to ? from : -1
  for (let at = from + 1; at < to; at++) if (log.prediction[at]! > log.prediction[best]!) best = at
  return best
}

/** The open candidate with the least `usd`; the better prediction among equal candidates. */
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

/** The cheapest candidate that was eligible when logged; without one, the likeliest. */
export const cheapestEligible: PolicyRule = (log, row) => {
  const pick = cheapest(log, row, (at) => log.isEligible[at] === 1)
  return pick === -1 ? likeliest(log, row) : pick
}

/** The cheapest candidate whose prediction reaches the threshold, in [0, 1]; without one, the likeliest. */
export const cheapestAt = (threshold: number): PolicyRule => (log, row) => {
  const pick = cheapest(log, row, (at) => log.prediction[at]! >= threshold)
  return pick === -1 ? likeliest(log, row) : pick
}

export const alwaysCheapest: PolicyRule = (log, row) => cheapest(log, row)

export const alwaysPremium: PolicyRule = (log, row) => lowest(log, row, (at) => -log.costUsd[at]!)

/** The candidate that is worth most, if a success is worth `valueUsd`. */
export const worthMost = (valueUsd: number): PolicyRule => (log, row) =>
  lowest(log, row, (at) => log.costUsd[at]! - log.prediction[at]! * valueUsd)

/**
 * Values of a success, US dollars, with one digit, between which picks change. On each row, the price of one
 * more success is the slope of cost over prediction, from the cheapest to the likeliest candidate. The values
 * are quantiles of these prices times factors, because a success near the likeliest candidate costs more.
 *
 * @param places a share of the rows in [0, 1) and a factor for each value
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

/** The candidate `entries[row]`; -1 if the policy is not judged there. */
export const chosen = (entries: Int32Array): PolicyRule => (_, row) => entries[row]!

/** One model if it is a candidate, else the likeliest candidate; not judged before row `since`. */
export const single = (model: number, since: number): PolicyRule => (log, row) => {
  if (row < since) return -1
  for (let at = log.first[row]!; at < log.first[row + 1]!; at++) if (log.model[at] === model) return at
  return likeliest(log, row)
}
