/** Estimates for a log's candidates: outcome, cost, and probability of being picked and run. */
import { adherencePropensity } from "./Adherence.ts"
import { costsOf } from "./CostRatio.ts"
import { isDrawn, type OutcomeLog } from "./OutcomeLog.ts"
import { deviation, expected, type OutcomeModel } from "./OutcomeModel.ts"

export interface Spread {
  readonly high: number
  readonly varianceOf: (mean: number) => number
  readonly largest: number
}

export const ofSuccess: Spread = { high: 1, varianceOf: (mean) => mean * (1 - mean), largest: 0.25 }

/** A row's `mean` and `chance` are not learned from the row's own outcome. */
export interface Evidence {
  readonly log: OutcomeLog
  readonly spread: Spread
  /** Expected outcome of the candidate: a success in [0.02, 0.98], or a bill in USD. */
  readonly mean: Float32Array
  /** Standard deviation of `mean`. */
  readonly unsure: Float32Array
  readonly costUsd: Float64Array
  /**
   * Probability that the candidate was picked and run with a known outcome, in [0, 1]. If the pick was drawn
   * at random, all other eligible candidates share the remaining probability equally.
   */
  readonly chance: Float64Array
}

/** @param models one model for each fold, fitted without that fold */
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
