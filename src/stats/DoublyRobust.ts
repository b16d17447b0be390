/** The worth of a policy from logged decisions: doubly robust estimates and their intervals. */
import type { Resamples } from "./Bootstrap.ts"
import { clamp } from "./Clamp.ts"
import { priorStrength } from "./OutcomeModel.ts"
import { column, columns, type PolicySums } from "./PolicySums.ts"

/** Worth of a policy: means of an outcome, null where no row bears on them. */
export interface PolicyWorth {
  readonly rows: number
  /** Corrected by the outcomes of the rows that ran the policy's pick. */
  readonly doublyRobust: number | null
  /** The outcome model alone. */
  readonly direct: number | null
  /** Those outcomes alone, weighted and self-normalised; about the supported rows only. */
  readonly inversePropensity: number | null
  /** Equally weighted outcomes that the correction rests on, count. */
  readonly effectiveSampleSize: number
  /** Share of the model's mean error on them that the estimate corrects, in [0, 1). */
  readonly trust: number
  /** Rows on which its pick ran, and the mean cost of its picks in US dollars. */
  readonly matched: number
  readonly costUsd: number | null
  /** Share of the rows on which the log could have shown the policy's pick. */
  readonly supportedShare: number
  /** Sums over the matched outcomes: of their weights, and of weight times (outcome - expected). */
  readonly weight: number
  readonly residual: number
  /** Standard deviation that the draw of what ran leaves of the mean over these very rows. */
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
 * Trust in the matched outcomes over the model, in [0, 1). The model counts as a few outcomes, and as fewer
 * the further its mean error is beyond two standard errors: a model that is clearly wrong is no prior.
 */
const trustOf = (effectiveSampleSize: number, meanResidual: number, largestVariance: number): number => {
  if (effectiveSampleSize === 0) return 0
  const excess = Math.abs(meanResidual) - 2 * Math.sqrt(largestVariance / effectiveSampleSize)
  const strength = excess > 0 ? Math.min(priorStrength, largestVariance / excess ** 2) : priorStrength
  return effectiveSampleSize / (effectiveSampleSize + strength)
}

/**
 * Self-normalised doubly robust: the model's mean, plus its weighted mean error on what was matched, for the
 * part of the rows that this error stands in for. It is right when the model is, or when there are many
 * matches with right weights.
 */
const corrected = ({ direct, residual, rows, support, weight }: Totals, trust: number): number =>
  direct / rows + (weight > 0 ? trust * (support / rows) * (residual / weight) : 0)

/**
 * The three estimates of a policy's success.
 *
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
 * Standard deviation that resampling cannot show: the model's own as far as the estimate rests on the model,
 * and what the correction would vary by, were the rare rows with large weights as many as expected and their
 * outcomes as varied. Without it a log that happens to lack such rows looks certain.
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

/** The columns that are resampled, block by block: together they stay in the processor's first cache. */
const resampled = ({ blocks, sums }: PolicySums): Float64Array => {
  const packed = new Float64Array(blocks * resampledColumns.length)
  for (let block = 0; block < blocks; block++) {
    resampledColumns.forEach((at, index) => {
      packed[block * resampledColumns.length + index] = sums[block * columns + at]!
    })
  }
  return packed
}

/**
 * The doubly robust estimate in each resample, with what resampling cannot show added as noise; not clamped.
 * NaN where a resample drew no row of the policy.
 */
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
