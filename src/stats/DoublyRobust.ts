/** Doubly robust estimates of a policy's mean outcome from logged decisions, and their resamples. */
import type { Resamples } from "./Bootstrap.ts"
import { clamp } from "./Clamp.ts"
import { priorStrength } from "./OutcomeModel.ts"
import { column, columns, type PolicySums } from "./PolicySums.ts"

/** An outcome is matched if the policy's pick was recommended and ran. Estimates without rows are null. */
export interface PolicyWorth {
  readonly rows: number
  /** The mean of the outcome model, corrected by matched outcomes. */
  readonly doublyRobust: number | null
  /** The mean of the outcome model, without a correction. */
  readonly direct: number | null
  /** The self-normalised weighted mean of matched outcomes; null without matched outcomes. */
  readonly inversePropensity: number | null
  /** Number of equally weighted outcomes that the matched outcomes are worth. */
  readonly effectiveSampleSize: number
  /** Share of the outcome model's mean error on matched outcomes that is corrected, in [0, 1]. */
  readonly trust: number
  /** Number of rows on which the policy's pick ran, whether it was recommended or not. */
  readonly matched: number
  readonly costUsd: number | null
  /** Share of rows on which the logged policy could have picked the policy's pick. */
  readonly supportedShare: number
  /** Sum of the weights of matched outcomes, and sum of weight times (outcome - expected). */
  readonly weight: number
  readonly residual: number
  /** Standard deviation of the mean outcome that comes from the random draw of picks. */
  readonly drawnDeviation: number
}

interface Totals {
  readonly rows: number
  readonly direct: number
  readonly support: number
  readonly weight: number
  readonly residual: number
}

const totalOf = ({ blocks, sums }: PolicySums, at: number): number => {
  let total = 0
  for (let block = 0; block < blocks; block++) total += sums[block * columns + at]!
  return total
}

/**
 * Computes the share of the outcome model's mean error that is corrected, in [0, 1]. The outcome model weighs
 * as much as `priorStrength` matched outcomes, or less if its mean error exceeds two standard errors.
 */
const trustOf = (effectiveSampleSize: number, meanResidual: number, largestVariance: number): number => {
  if (effectiveSampleSize === 0) return 0
  const excess = Math.abs(meanResidual) - 2 * Math.sqrt(largestVariance / effectiveSampleSize)
  const strength = excess > 0 ? Math.min(priorStrength, largestVariance / excess ** 2) : priorStrength
  return effectiveSampleSize / (effectiveSampleSize + strength)
}

/**
 * The self-normalised doubly robust mean. A doubly robust mean is right if the outcome model is right, or if
 * many matched rows have right weights.
 */
const corrected = ({ direct, residual, rows, support, weight }: Totals, trust: number): number =>
  direct / rows + (weight > 0 ? trust * (support / rows) * (residual / weight) : 0)

/**
 * @see Dudik, Langford and Li, Doubly Robust Policy Evaluation and Learning (2011)
 * @see Swaminathan and Joachims, The Self-Normalized Estimator for Counterfactual Learning (2015)
 */
export const worth = (self: PolicySums): PolicyWorth => {
  const rows = totalOf(self, column.rows)
  const weight = totalOf(self, column.weight)
  const squares = totalOf(self, column.squares)
  const support = totalOf(self, column.support)
  const direct = totalOf(self, column.direct)
  const effectiveSampleSize = squares > 0 ? weight * weight / squares : 0
  const residual = totalOf(self, column.residual)
  const trust = trustOf(effectiveSampleSize, weight > 0 ? residual / weight : 0, self.spread.largest)
  const totals = { rows, direct, support, weight, residual }
  return {
    rows,
    doublyRobust: rows === 0 ? null : clamp(corrected(totals, trust), 0, self.spread.high),
    direct: rows === 0 ? null : direct / rows,
    inversePropensity: weight > 0 ? totalOf(self, column.outcome) / weight : null,
    effectiveSampleSize,
    trust,
    matched: totalOf(self, column.matched),
    costUsd: rows === 0 ? null : totalOf(self, column.costUsd) / rows,
    supportedShare: rows === 0 ? 0 : support / rows,
    weight,
    residual,
    drawnDeviation: rows === 0 ? 0 : Math.sqrt(totalOf(self, column.drawn)) / rows
  }
}

/**
 * The part of an estimate's standard deviation that resampling cannot show, because of the outcome model's
 * uncertainty and of rare rows with large weights.
 */
const unseenDeviation = (self: PolicySums, trust: number): number => {
  const rows = totalOf(self, column.rows)
  const support = totalOf(self, column.support)
  const weight = totalOf(self, column.weight)
  if (rows === 0) return 0
  const ofModel =
    (totalOf(self, column.unsureElse) + (1 - trust) * totalOf(self, column.unsureSupported)) / rows
  const expected = support > 0 ? totalOf(self, column.expectedSquares) / support ** 2 : 0
  const shown = weight > 0 ? totalOf(self, column.residualSquares) / weight ** 2 : 0
  const ofCorrection = trust * (support / rows) * Math.sqrt(Math.max(0, expected - shown))
  return Math.hypot(ofModel, ofCorrection)
}

const resampledColumns = [column.rows, column.direct, column.support, column.weight, column.residual]

const resampled = ({ blocks, sums }: PolicySums): Float64Array => {
  const packed = new Float64Array(blocks * resampledColumns.length)
  for (let block = 0; block < blocks; block++) {
    resampledColumns.forEach((at, index) => {
      packed[block * resampledColumns.length + index] = sums[block * columns + at]!
    })
  }
  return packed
}

/** The estimate in each resample, with noise and not clamped; NaN if a resample drew no judged row. */
export const replicates = (
  self: PolicySums,
  { blocks, noise, replicates: count, times }: Resamples
): Float64Array => {
  const sums = resampled(self)
  const { trust } = worth(self)
  const unseen = unseenDeviation(self, trust)
  const values = new Float64Array(count)
  for (let replicate = 0; replicate < count; replicate++) {
    let [rows, direct, support, weight, residual] = [0, 0, 0, 0, 0]
    for (let block = 0; block < blocks; block++) {
      const drawn = times[replicate * blocks + block]!
      const base = block * resampledColumns.length
      rows += drawn * sums[base]!
      direct += drawn * sums[base + 1]!
      support += drawn * sums[base + 2]!
      weight += drawn * sums[base + 3]!
      residual += drawn * sums[base + 4]!
    }
    values[replicate] = corrected({ rows, direct, support, weight, residual }, trust)
      + noise[replicate]! * unseen
  }
  return values
}
