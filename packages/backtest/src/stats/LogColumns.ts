/** The rows of a log in columns, for the estimator of policies. */
import { adherencePropensity } from "../../../../src/stats/Adherence.ts"
import { expectedCostsOf } from "../../../../src/stats/CostRatio.ts"
import { type Evidence, evidenceOf } from "../../../../src/stats/LogEvidence.ts"
import { folds, type OutcomeLog } from "../../../../src/stats/OutcomeLog.ts"
import { crossFit, priorStrength } from "../../../../src/stats/OutcomeModel.ts"
import { statisticsByFold } from "../../../../src/stats/SufficientStatistics.ts"
import type { LogContext } from "./LoggingHabit.ts"

/** One row of a log; rows come in the order of time. */
export interface JudgedRow {
  /** Block of time, non-decreasing. The rows of a block are resampled together. */
  readonly block: number
  readonly loggedModel: number
  /** Quality of the outcome, in [0, 1]; NaN if the row has no label. */
  readonly quality: number
  /** NaN if not known. */
  readonly costUsd: number
  readonly context: LogContext
  /** Predicted success of each model, in [0, 1], before the row's outcome is learned. */
  readonly success: Float64Array
  /** Expected cost by model, US dollars. */
  readonly expectedUsd: Float64Array
  readonly picks: Int32Array
}

/** Minimum chance, by the log's habit, at which a model that did not run counts as possible on a row. */
export const shareMin = 0.02

/** `success`, `estimateUsd` and `share` have an entry per row and model. */
export interface Columns {
  readonly models: number
  readonly block: Array<number>
  readonly cluster: Array<number>
  readonly typeOfCluster: Array<number>
  readonly logged: Array<number>
  readonly quality: Array<number>
  readonly billUsd: Array<number>
  readonly success: Array<number>
  readonly estimateUsd: Array<number>
  readonly share: Array<number>
}

/** Makes a log for the estimator, in which a row without a known outcome counts as not run. */
const logOf = (columns: Columns, outcome: ReadonlyArray<number>): OutcomeLog => {
  const { billUsd, block, cluster, estimateUsd, logged, models, share, success, typeOfCluster } = columns
  const rows = logged.length
  const clusters = typeOfCluster.length
  const recommended = Int32Array.from(logged, (model, row) => row * models + model)
  return {
    rows, models, clusters, groups: clusters,
    types: Math.max(-1, ...typeOfCluster) + 1,
    group: Int32Array.from(cluster),
    clusterOfGroup: Int32Array.from(typeOfCluster, (_, at) => at),
    typeOfCluster: Int32Array.from(typeOfCluster),
    unitOfCluster: new Int32Array(clusters),
    first: Int32Array.from({ length: rows + 1 }, (_, row) => row * models),
    model: Int32Array.from({ length: rows * models }, (_, at) => at % models),
    prediction: Float64Array.from(success),
    costUsd: Float64Array.from(estimateUsd),
    isEligible: new Uint8Array(rows * models).fill(1),
    recommended,
    ran: recommended.map((entry, row) => Number.isNaN(outcome[row]!) ? -1 : entry),
    propensity: Float64Array.from(recommended, (entry) => share[entry]!),
    success: Float64Array.from(outcome),
    billUsd: Float64Array.from(billUsd),
    fold: Uint8Array.from(block, (each) => each % folds),
    block: Int32Array.from(block),
    blocks: (block.at(-1) ?? -1) + 1
  }
}

/** By row and model, chance to run with a known outcome; 0 if the model did not run and rarely runs. */
const chancesOf = (log: OutcomeLog, share: ReadonlyArray<number>): Float64Array => {
  const known = adherencePropensity(log)
  return Float64Array.from(share, (each, at) => {
    const row = Math.floor(at / log.models)
    return each < shareMin && at !== log.recommended[row] ? 0 : each * known[row]!
  })
}

/** Variance of bills around their expected costs, divided by the mean square of the expected costs. */
const variationOf = (log: OutcomeLog, expectedUsd: Float64Array): number => {
  let [deviations, scale] = [0, 0]
  log.ran.forEach((ran, row) => {
    if (ran < 0) return
    deviations += (log.billUsd[row]! - expectedUsd[ran]!) ** 2
    scale += expectedUsd[ran]! ** 2
  })
  return scale > 0 ? deviations / scale : 0
}

/**
 * Evidence on bills. All models share one relative variance around the expected cost. The mean error of
 * expected costs, on rows that ran the pick, is corrected in full, because bills have no upper bound.
 */
const billsOf = (columns: Columns): Evidence => {
  const log = logOf(columns, columns.billUsd)
  const { group, models } = log
  const expectedUsd = expectedCostsOf(log)
  const variation = variationOf(log, expectedUsd)
  const seen = new Float64Array(log.groups * models)
  log.ran.forEach((ran, row) => {
    if (ran >= 0) seen[group[row]! * models + log.model[ran]!]! += 1
  })
  return {
    log,
    spread: { high: Infinity, varianceOf: (mean) => variation * mean * mean, largest: 0 },
    mean: Float32Array.from(expectedUsd),
    unsure: Float32Array.from(expectedUsd, (mean, at) => {
      const own = seen[group[Math.floor(at / models)]! * models + at % models]!
      return mean * Math.sqrt(variation / (priorStrength + own + 1))
    }),
    costUsd: expectedUsd,
    chance: chancesOf(log, columns.share)
  }
}

export const evidencesOf = (columns: Columns): { readonly success: Evidence; readonly bills: Evidence } => {
  const log = logOf(columns, columns.quality)
  const success = evidenceOf(log, crossFit(log, statisticsByFold(log)))
  return { success: { ...success, chance: chancesOf(log, columns.share) }, bills: billsOf(columns) }
}
