/** The learned columns of a log: expected outcome, cost and chance of its candidates. */
import { adherencePropensity } from "./Adherence.ts"
import { costsOf } from "./CostRatio.ts"
import { isDrawn, type OutcomeLog } from "./OutcomeLog.ts"
import { deviation, expected, type OutcomeModel } from "./OutcomeModel.ts"

/** How outcomes vary: their highest value, the variance around a mean, and the largest that counts. */
export interface Spread {
  readonly high: number
  readonly varianceOf: (mean: number) => number
  readonly largest: number
}

/** A success is in [0, 1]. */
export const ofSuccess: Spread = { high: 1, varianceOf: (mean) => mean * (1 - mean), largest: 0.25 }

/** Estimates for the candidates of a log's rows, each learned from other rows than the one it is used on. */
export interface Evidence {
  readonly log: OutcomeLog
  readonly spread: Spread
  /** Per candidate: expected outcome, a success in [0.02, 0.98], and its standard deviation. */
  readonly mean: Float32Array
  readonly unsure: Float32Array
  /** Per candidate: what it costs, see {@link costsOf}. */
  readonly costUsd: Float64Array
  /**
   * Per candidate: probability that it was picked and run with a known outcome, in [0, 1]. Where the pick was
   * drawn, each other eligible candidate has an equal part of the rest; where it was not, none has any.
   */
  readonly chance: Float64Array
}

/** @param models per fold, fitted without it */
export const evidenceOf = (log: OutcomeLog, models: ReadonlyArray<OutcomeModel>): Evidence => {
  const mean = new Float32Array(log.model.length)
  const unsure = new Float32Array(log.model.length)
  const followed = adherencePropensity(log)
  const chance = new Float64Array(log.model.length)
  for (let row = 0; row < log.rows; row++) {
    const model = models[log.fold[row]!]!
    let eligible = 0
    for (let at = log.first[row]!; at < log.first[row + 1]!; at++) {
      const value = expected(model, log, row, at)
      mean[at] = value
      unsure[at] = deviation(model, log, row, at, value)
      eligible += log.isEligible[at]!
    }
    const picked = log.recommended[row]!
    const other = isDrawn(log, row) ? (1 - log.propensity[row]!) / Math.max(1, eligible - 1) : 0
    for (let at = log.first[row]!; at < log.first[row + 1]!; at++) {
      chance[at] = followed[row]! * (at === picked ? log.propensity[row]! : log.isEligible[at]! * other)
    }
  }
  return { log, spread: ofSuccess, mean, unsure, costUsd: costsOf(log), chance }
}
