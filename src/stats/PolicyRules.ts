/** The policies that reports compare, as pure functions of the log. */
import type { OutcomeLog } from "./OutcomeLog.ts"

/**
 * What a policy would pick on a row: the entry of a candidate, or -1 where it is not judged. A function of
 * what was logged before the outcome, never of the outcome.
 */
export type PolicyRule = (log: OutcomeLog, row: number) => number

/** Costs closer than this are a tie, which the better prediction wins, USD. */
export const costTieUsd = 1e-9

/** The likeliest to succeed, by the logged predictions; -1 without candidates. */
const likeliest: PolicyRule = (log, row) => {
  const from = log.first[row]!
  const to = log.first[row + 1]!
  let best = from < to ? from : -1
  for (let at = from + 1; at < to; at++) if (log.prediction[at]! > log.prediction[best]!) best = at
  return best
}

/** The candidate that comes to least, USD, of those that are open; the better prediction among equals. */
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

/** The cheapest that cleared the logged threshold and every constraint; where none did, the likeliest. */
export const cheapestEligible: PolicyRule = (log, row) => {
  const pick = cheapest(log, row, (at) => log.isEligible[at] === 1)
  return pick === -1 ? likeliest(log, row) : pick
}

/** The cheapest whose prediction reaches the threshold, in [0, 1]; where none does, the likeliest. */
export const cheapestAt = (threshold: number): PolicyRule => (log, row) => {
  const pick = cheapest(log, row, (at) => log.prediction[at]! >= threshold)
  return pick === -1 ? likeliest(log, row) : pick
}

/** The cheapest by estimate; the better prediction among equals. */
export const alwaysCheapest: PolicyRule = (log, row) => cheapest(log, row)

/** The dearest by estimate; the better prediction among equals. */
export const alwaysPremium: PolicyRule = (log, row) => lowest(log, row, (at) => -log.costUsd[at]!)

/** What is worth most where a success is worth so many US dollars; the better prediction among equals. */
export const worthMost = (valueUsd: number): PolicyRule => (log, row) =>
  lowest(log, row, (at) => log.costUsd[at]! - log.prediction[at]! * valueUsd)

/**
 * Values of a success, US dollars, among which picks change: what a success more costs on a row between its
 * cheapest and its likeliest candidate, to one digit. Between two near the likeliest it costs more.
 *
 * @param places shares of the rows, each with a factor
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

/** One candidate of each row, named by its entry; -1 where it is not judged. */
export const chosen = (entries: Int32Array): PolicyRule => (_, row) => entries[row]!

/** One model wherever it is a candidate, from row `since` on; on all other rows the likeliest. */
export const single = (model: number, since: number): PolicyRule => (log, row) => {
  if (row < since) return -1
  for (let at = log.first[row]!; at < log.first[row + 1]!; at++) if (log.model[at] === model) return at
  return likeliest(log, row)
}
