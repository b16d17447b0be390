import type { Resamples } from "./Bootstrap.ts"
import { priorStrength } from "./OutcomeModel.ts"
import { column, columns, type PolicySums } from "./PolicySums.ts"

/** What a policy is worth; rates in [0, 1], null where nothing says. */
export interface PolicyWorth {
  readonly rows: number
  /** Corrected by the outcomes of the rows that ran the policy's pick. */
  readonly doublyRobust: number | null
  /** The outcome model alone. */
  readonly direct: number | null
  /** Those outcomes alone, weighted and self-normalised; about the supported rows only. */
  readonly inversePropensity: number | null
  /** How many equally weighted outcomes the correction rests on. */
  readonly effectiveSampleSize: number
  /** Share of the rows on which the log could have shown the policy's pick. */
  readonly supportedShare: number
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

/** In [0, 1): how far the matched outcomes are believed over the model, which counts as a few of them. */
const trustOf = (effectiveSampleSize: number): number =>
  effectiveSampleSize / (effectiveSampleSize + priorStrength)

/**
 * Self-normalised doubly robust: the model's mean, plus its weighted mean error on what was matched, for the
 * part of the rows that this error speaks for. With many matches the model may be wrong; with the model
 * right, the weights may be.
 */
const corrected = ({ direct, residual, rows, support, weight }: Totals, trust: number): number =>
  direct / rows + (weight > 0 ? trust * (support / rows) * (residual / weight) : 0)

const clamp01 = (value: number): number => Math.min(1, Math.max(0, value))

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
  const totals = { rows, direct, support, weight, residual: totalOf(self, column.residual) }
  return {
    rows,
    doublyRobust: rows === 0 ? null : clamp01(corrected(totals, trustOf(effectiveSampleSize))),
    direct: rows === 0 ? null : direct / rows,
    inversePropensity: weight > 0 ? totalOf(self, column.success) / weight : null,
    effectiveSampleSize,
    supportedShare: rows === 0 ? 0 : support / rows
  }
}

/**
 * Standard deviation that resampling cannot show: the model's own as far as the estimate rests on the model,
 * and what the correction would vary by, were the rare rows with large weights as many as expected and their
 * outcomes as mixed. Without it a log that happens to lack such rows looks certain.
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

/**
 * The doubly robust estimate in each resample, with what resampling cannot show added as noise; not clamped.
 * NaN where a resample drew no row of the policy.
 */
export const replicates = (
  self: PolicySums,
  { blocks, noise, replicates: count, times }: Resamples
): Float64Array => {
  const { sums } = self
  const trust = trustOf(worth(self).effectiveSampleSize)
  const unseen = unseenDeviation(self, trust)
  const values = new Float64Array(count)
  for (let replicate = 0; replicate < count; replicate++) {
    let [rows, direct, support, weight, residual] = [0, 0, 0, 0, 0]
    for (let block = 0; block < blocks; block++) {
      const drawn = times[replicate * blocks + block]!
      if (drawn === 0) continue
      const base = block * columns
      rows += drawn * sums[base]!
      direct += drawn * sums[base + column.direct]!
      support += drawn * sums[base + column.support]!
      weight += drawn * sums[base + column.weight]!
      residual += drawn * sums[base + column.residual]!
    }
    values[replicate] = corrected({ rows, direct, support, weight, residual }, trust)
      + noise[replicate]! * unseen
  }
  return values
}
