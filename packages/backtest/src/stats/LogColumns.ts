/** The rows of a foreign log in columns, as the estimator of policies reads them. */
import { adherencePropensity } from "../../../../src/stats/Adherence.ts"
import { expectedCostsOf } from "../../../../src/stats/CostRatio.ts"
import { type Evidence, evidenceOf } from "../../../../src/stats/LogEvidence.ts"
import { folds, type OutcomeLog } from "../../../../src/stats/OutcomeLog.ts"
import { crossFit, priorStrength } from "../../../../src/stats/OutcomeModel.ts"
import { statisticsByFold } from "../../../../src/stats/SufficientStatistics.ts"
import type { LogContext } from "./LoggingHabit.ts"

/** One row, in the order of time. */
export interface JudgedRow {
  /** Block of time, non-decreasing: its rows are resampled together, so those of a day or a session. */
  readonly block: number
  /** Index among the models, as are the picks. */
  readonly loggedModel: number
  /** In [0, 1]; NaN unlabelled. */
  readonly quality: number
  /** NaN unknown. */
  readonly costUsd: number
  readonly context: LogContext
  /** Per model, predicted before this outcome: success in [0, 1] and cost. */
  readonly success: Float64Array
  readonly expectedUsd: Float64Array
  /** Per policy: the model that it picks. */
  readonly picks: Int32Array
}

/**
 * Least share of a model among such rows at which the log could have shown it: what it would have come to
 * below is for the model of outcomes alone to say.
 */
export const shareMin = 0.02

/** Rows while they are added; those of models have an entry per row and model. */
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

/** The log of one kind of outcome: where a row's is not known, no model of it ran. */
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

/** The chance of each candidate to run with a known outcome; 0 where the log could not have shown it. */
const chancesOf = (log: OutcomeLog, share: ReadonlyArray<number>): Float64Array => {
  const known = adherencePropensity(log)
  return Float64Array.from(share, (each, at) => {
    const row = Math.floor(at / log.models)
    return each < shareMin && at !== log.recommended[row] ? 0 : each * known[row]!
  })
}

/** Squared deviation of bills from what was expected, over its square. */
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
 * Evidence on bills: how they vary around what is expected is known from all models. What is expected of them
 * is no prior, since bills have no bounds: the mean error on what was matched is corrected whole.
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

/** What is known of the success and of the bills of every model on every row. */
export const evidencesOf = (columns: Columns): { readonly success: Evidence; readonly bills: Evidence } => {
  const log = logOf(columns, columns.quality)
  const success = evidenceOf(log, crossFit(log, statisticsByFold(log)))
  return { success: { ...success, chance: chancesOf(log, columns.share) }, bills: billsOf(columns) }
}
