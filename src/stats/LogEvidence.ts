/** The learned columns of a log: expected success, cost and propensity of its candidates. */
import { adherencePropensity } from "./Adherence.ts"
import { costsOf } from "./CostRatio.ts"
import { isDrawn, type OutcomeLog } from "./OutcomeLog.ts"
import { deviation, expected, type OutcomeModel } from "./OutcomeModel.ts"

/** Estimates for the candidates of a log's rows, each learned from other rows than the one it is used on. */
export interface Evidence {
  readonly log: OutcomeLog
  /** Per candidate: expected success, in [0.02, 0.98], and its standard deviation. */
  readonly mean: Float32Array
  readonly unsure: Float32Array
  /** Per candidate: what it costs, see {@link costsOf}. */
  readonly costUsd: Float64Array
  /** Per row: probability that the recommended candidate was picked and run, in (0, 1]. */
  readonly loggedPropensity: Float64Array
  /**
   * Per row: about the same probability of each other eligible candidate, an equal part of the rest. 0 where
   * the pick was not drawn, so that no other could have been picked.
   */
  readonly otherChance: Float64Array
}

/** @param models per fold, fitted without it */
export const evidenceOf = (log: OutcomeLog, models: ReadonlyArray<OutcomeModel>): Evidence => {
  const mean = new Float32Array(log.model.length)
  const unsure = new Float32Array(log.model.length)
  const ownChance = adherencePropensity(log)
  const otherChance = new Float64Array(log.rows)
  for (let row = 0; row < log.rows; row++) {
    const model = models[log.fold[row]!]!
    let eligible = 0
    for (let at = log.first[row]!; at < log.first[row + 1]!; at++) {
      const value = expected(model, log, row, at)
      mean[at] = value
      unsure[at] = deviation(model, log, row, at, value)
      eligible += log.isEligible[at]!
    }
    const followShare = ownChance[row]!
    ownChance[row] = log.propensity[row]! * followShare
    otherChance[row] = isDrawn(log, row)
      ? (1 - log.propensity[row]!) / Math.max(1, eligible - 1) * followShare
      : 0
  }
  return { log, mean, unsure, costUsd: costsOf(log), loggedPropensity: ownChance, otherChance }
}

/** Probability that a candidate was picked and run on its row, in [0, 1]. */
export const chanceOf = (self: Evidence, row: number, candidate: number): number =>
  candidate === self.log.recommended[row]
    ? self.loggedPropensity[row]!
    : self.log.isEligible[candidate] === 1 ? self.otherChance[row]! : 0
