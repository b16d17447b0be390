import type { OutcomeLog } from "./OutcomeLog.ts"

/**
 * What a policy would pick on each row: the entry of a candidate, or -1 where it is not judged. Every rule
 * here is a function of what was logged before the outcome.
 */
export type Picks = Int32Array

/** Costs this close are a tie, which the better prediction wins. */
const tieUsd = 1e-9

const pickEach = (log: OutcomeLog, pick: (from: number, to: number, row: number) => number): Picks => {
  const picks = new Int32Array(log.rows)
  for (let row = 0; row < log.rows; row++) picks[row] = pick(log.first[row]!, log.first[row + 1]!, row)
  return picks
}

/** The likeliest to succeed, by the logged predictions; -1 without candidates. */
const likeliest = (log: OutcomeLog, from: number, to: number): number => {
  let best = from < to ? from : -1
  for (let at = from + 1; at < to; at++) if (log.prediction[at]! > log.prediction[best]!) best = at
  return best
}

/** The cheapest whose `value` is at least `least`, the better prediction among equals; -1 for none. */
const cheapest = (
  log: OutcomeLog,
  from: number,
  to: number,
  value: Float64Array | Uint8Array,
  least: number
): number => {
  let best = -1
  for (let at = from; at < to; at++) {
    if (value[at]! < least) continue
    const lead = best === -1 ? Infinity : log.costUsd[best]! - log.costUsd[at]!
    if (lead > tieUsd || (lead >= -tieUsd && log.prediction[at]! > log.prediction[best]!)) best = at
  }
  return best
}

/** The service's rule; with nobody admitted the likeliest. */
const cheapestOr = (log: OutcomeLog, value: Float64Array | Uint8Array, least: number): Picks =>
  pickEach(log, (from, to) => {
    const pick = cheapest(log, from, to, value, least)
    return pick === -1 ? likeliest(log, from, to) : pick
  })

/** The cheapest that cleared the logged bar and every constraint. */
export const cheapestEligible = (log: OutcomeLog): Picks => cheapestOr(log, log.isEligible, 1)

/** The cheapest whose prediction reaches the threshold, in [0, 1]. */
export const cheapestAt = (log: OutcomeLog, threshold: number): Picks =>
  cheapestOr(log, log.prediction, threshold)

export const alwaysCheapest = (log: OutcomeLog): Picks => cheapestOr(log, log.prediction, -Infinity)

export const alwaysPremium = (log: OutcomeLog): Picks =>
  pickEach(log, (from, to) => {
    let best = from < to ? from : -1
    for (let at = from + 1; at < to; at++) {
      const lead = log.costUsd[at]! - log.costUsd[best]!
      if (lead > tieUsd || (lead >= -tieUsd && log.prediction[at]! > log.prediction[best]!)) best = at
    }
    return best
  })

/** One model wherever it is a candidate, from row `since` on; elsewhere the likeliest. */
export const single = (log: OutcomeLog, model: number, since: number): Picks =>
  pickEach(log, (from, to, row) => {
    if (row < since) return -1
    for (let at = from; at < to; at++) if (log.model[at] === model) return at
    return likeliest(log, from, to)
  })
