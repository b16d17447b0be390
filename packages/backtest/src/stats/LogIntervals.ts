/** Estimates of policies on a foreign log with 95 % intervals, by the bootstrap over blocks. */
import { accelerated95, type Resamples } from "../../../../src/stats/Bootstrap.ts"
import { normal975 } from "../../../../src/stats/Normal.ts"
import { student975 } from "../../../../src/stats/Student.ts"
import { column, columns, type LogSums } from "./LogSums.ts"

/** The columns of sums that one kind of outcome needs. */
interface Outcome {
  readonly direct: number
  readonly weight: number
  readonly residual: number
}

const success: Outcome = {
  direct: column.success,
  weight: column.successWeight,
  residual: column.successResidual
}
const cost: Outcome = { direct: column.cost, weight: column.costWeight, residual: column.costResidual }

/** A mean per row: of all rows, in each resample, and how far each block moves it. */
export interface Replicated {
  readonly value: number
  readonly replicates: Float64Array
  readonly influence: Float64Array
}

/**
 * Self-normalised doubly robust mean: the model's, plus its weighted mean error on what was matched for the
 * part of the rows that this error stands in for.
 *
 * @see Dudik, Langford and Li, Doubly Robust Policy Evaluation and Learning (2011)
 */
const meanOf = (sums: ArrayLike<number>, base: number, { direct, residual, weight }: Outcome): number => {
  const correction = sums[base + weight]! > 0 ? sums[base + residual]! / sums[base + weight]! : 0
  return (sums[base + direct]! + sums[base + column.support]! * correction) / sums[base + column.rows]!
}

/** The derivative of the mean in the weight of each block. */
const influenceOf = (
  { blocks, byBlock, policies }: LogSums,
  policy: number,
  whole: Float64Array,
  { direct, residual, weight }: Outcome
): Float64Array => {
  const mean = meanOf(whole, 0, { direct, residual, weight })
  const heavy = whole[weight]! > 0
  const correction = heavy ? whole[residual]! / whole[weight]! : 0
  const perWeight = heavy ? whole[column.support]! / whole[weight]! : 0
  return Float64Array.from({ length: blocks() }, (_, block) => {
    const base = (block * policies + policy) * columns
    const moved = byBlock[base + direct]! + byBlock[base + column.support]! * correction
      + perWeight * (byBlock[base + residual]! - correction * byBlock[base + weight]!)
    return (moved - mean * byBlock[base + column.rows]!) / whole[column.rows]!
  })
}

/** The sums of every policy over all blocks, index `policy * columns + column`. */
export const wholeOf = ({ blocks, byBlock, policies }: LogSums): Float64Array => {
  const width = policies * columns
  const whole = new Float64Array(width)
  for (let block = 0; block < blocks(); block++) {
    for (let i = 0; i < width; i++) whole[i]! += byBlock[block * width + i]!
  }
  return whole
}

/** Success and cost of every policy in every resample; the same draws for all, so that they can be paired. */
export const replicated = (
  sums: LogSums,
  { replicates, times }: Resamples
): ReadonlyArray<{ readonly success: Replicated; readonly cost: Replicated }> => {
  const { byBlock, policies } = sums
  const blocks = sums.blocks()
  const width = policies * columns
  const all = wholeOf(sums)
  const drawn = new Float64Array(width)
  const figures = Array.from({ length: policies }, (_, policy) => {
    const whole = all.subarray(policy * columns, (policy + 1) * columns)
    const of = (outcome: Outcome): Replicated => ({
      value: meanOf(whole, 0, outcome),
      replicates: new Float64Array(replicates),
      influence: influenceOf(sums, policy, whole, outcome)
    })
    return { success: of(success), cost: of(cost) }
  })
  for (let replicate = 0; replicate < replicates; replicate++) {
    drawn.fill(0)
    for (let block = 0; block < blocks; block++) {
      const count = times[replicate * blocks + block]!
      if (count === 0) continue
      const base = block * width
      for (let i = 0; i < width; i++) drawn[i]! += count * byBlock[base + i]!
    }
    for (let policy = 0; policy < policies; policy++) {
      figures[policy]!.success.replicates[replicate] = meanOf(drawn, policy * columns, success)
      figures[policy]!.cost.replicates[replicate] = meanOf(drawn, policy * columns, cost)
    }
  }
  return figures
}

/** A variance is known with at least so many degrees of freedom. */
export const degreesMin = 3

/**
 * Degrees of freedom of a variance that is the sum of squared influences: as many as blocks where these are
 * normal, few where some blocks have most of the influence.
 *
 * @see Satterthwaite, An approximate distribution of estimates of variance components (1946)
 */
const degreesOf = (influence: ArrayLike<number>): number => {
  let [squares, fourths] = [0, 0]
  for (let i = 0; i < influence.length; i++) {
    const square = influence[i]! ** 2
    squares += square
    fourths += square * square
  }
  if (!(fourths > 0)) return Math.max(degreesMin, influence.length - 1)
  const kurtosis = Math.max(1 + 1e-9, influence.length * fourths / squares ** 2)
  return Math.min(influence.length - 1, Math.max(degreesMin, 2 * influence.length / (kurtosis - 1)))
}

/**
 * How far the interval reaches below and above the value, >= 0: 95 % of the replicates, stretched
 * by Student's t over the normal quantile, since a bootstrap of few or uneven blocks is too narrow.
 */
export const reachOf = (
  value: number,
  replicates: Float64Array,
  influence: Float64Array
): { readonly below: number; readonly above: number } => {
  const { high, low } = accelerated95(replicates, influence)
  const stretch = student975(degreesOf(influence)) / normal975
  return { below: Math.max(0, value - low) * stretch, above: Math.max(0, high - value) * stretch }
}
