/** Success, cost and saving of policies on a log, with 95 % intervals. */
import { accelerated95, type Resamples } from "../../../../src/stats/Bootstrap.ts"
import { type PolicyWorth, replicates, worth } from "../../../../src/stats/DoublyRobust.ts"
import { normal975 } from "../../../../src/stats/Normal.ts"
import { column, columns, type PolicySums } from "../../../../src/stats/PolicySums.ts"
import { student975 } from "../../../../src/stats/Student.ts"
import { interval95 } from "../../../../src/stats/Wilson.ts"

/** An estimate and its 95 % interval, with low <= value <= high. */
export interface Estimate {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** A figure, its values in the resamples, and the influence of each block. */
interface Replicated {
  readonly value: number
  readonly replicates: Float64Array
  readonly influence: Float64Array
}

export interface Mean extends Replicated {
  readonly worth: PolicyWorth
  /** Blocks with a known outcome of the policy's picks, count. */
  readonly blocks: number
}

export interface Means {
  readonly success: Mean
  readonly bills: Mean
}

/** Derivative of a policy's mean by the weight of each block. */
const influenceOf = ({ blocks, sums }: PolicySums, value: number, own: PolicyWorth): Float64Array => {
  const { residual, rows, supportedShare, weight } = own
  const error = weight > 0 ? residual / weight : 0
  const perWeight = weight > 0 ? supportedShare * rows / weight : 0
  return Float64Array.from({ length: blocks }, (_, block) => {
    const of = (at: number): number => sums[block * columns + at]!
    const corrected = perWeight * (of(column.residual) - error * of(column.weight))
    const moved = of(column.direct) + of(column.support) * error + corrected
    return (moved - value * of(column.rows)) / Math.max(1, rows)
  })
}

export const meanOf = (sums: PolicySums, resamples: Resamples): Mean => {
  const own = worth(sums)
  const value = own.doublyRobust ?? 0
  let blocks = 0
  for (let block = 0; block < sums.blocks; block++) {
    if (sums.sums[block * columns + column.weight]! > 0) blocks += 1
  }
  return {
    worth: own, value, blocks,
    replicates: replicates(sums, resamples),
    influence: influenceOf(sums, value, own)
  }
}

const degreesMin = 3

/**
 * Degrees of freedom of an interval, from the influence of each block.
 * @see Satterthwaite, An approximate distribution of estimates of variance components (1946)
 */
const degreesOf = (influence: Float64Array): number => {
  const squares = influence.reduce((sum, each) => sum + each ** 2, 0)
  const fourths = influence.reduce((sum, each) => sum + each ** 4, 0)
  const kurtosis = fourths > 0 ? influence.length * fourths / squares ** 2 : 1
  const degrees = 2 * influence.length / Math.max(1e-9, kurtosis - 1)
  return Math.max(degreesMin, Math.min(influence.length - 1, degrees))
}

/**
 * The accelerated bootstrap interval of a figure, widened by the ratio of Student's t to the normal quantile.
 * Each end of the interval is at least `least` away from the figure.
 */
const intervalOf = ({ influence, replicates, value }: Replicated, least = 0): Estimate => {
  const { high, low } = accelerated95(replicates, influence)
  const stretch = student975(degreesOf(influence)) / normal975
  return {
    value,
    low: value - Math.max(least, (value - low) * stretch),
    high: value + Math.max(least, (high - value) * stretch)
  }
}

/** Mean success, whose interval contains the Wilson interval: a short log without failures proves little. */
export const successOf = ({ success }: Means): Estimate => {
  const plain = interval95(success.value, success.worth.effectiveSampleSize)
  const { high, low, value } = intervalOf(success)
  const [least, most] = [Math.min(low, plain.low), Math.max(high, plain.high)]
  return { value, low: Math.max(0, least), high: Math.min(1, most) }
}

/** Takes logarithms of a mean cost and its resamples. A resample counts as at least a tenth of the mean. */
const logOf = ({ influence, replicates, value }: Mean): Replicated => ({
  value: Math.log(value),
  replicates: replicates.map((each) => Math.log(Math.max(each, value / 10))),
  influence: influence.map((each) => each / value)
})

const lessOf = (one: Replicated, other: Replicated): Replicated => ({
  value: one.value - other.value,
  replicates: one.replicates.map((each, i) => each - other.replicates[i]!),
  influence: one.influence.map((each, i) => each - other.influence[i]!)
})

export const costOf = ({ bills }: Means): Estimate => {
  if (!(bills.value > 0)) return { value: 0, low: 0, high: 0 }
  const { high, low } = intervalOf(logOf(bills))
  return { value: bills.value, low: Math.exp(low), high: Math.exp(high) }
}

/**
 * Minimum distance of a difference from each end of its 95 % interval, because picks were drawn at random.
 * Resampling alone makes the interval too narrow if the two policies' resamples vary together.
 */
const drawnReach = (own: number, base: number): number => normal975 * Math.hypot(own, base)

/** Saved share of the baseline's cost, from the logarithm of the ratio; null if either cost is 0. */
export const savingOf = ({ bills: own }: Means, { bills: base }: Means): Estimate | null => {
  if (!(own.value > 0) || !(base.value > 0)) return null
  const reach = drawnReach(own.worth.drawnDeviation / own.value, base.worth.drawnDeviation / base.value)
  const { high, low, value } = intervalOf(lessOf(logOf(own), logOf(base)), reach)
  return { value: 0 - Math.expm1(value), low: 0 - Math.expm1(high), high: 0 - Math.expm1(low) }
}

/** Rule of three: if n outcomes show no difference, a share 3 / n of outcomes may still differ. */
const unseen = 3

export const differenceOf = ({ success: own }: Means, { success: base }: Means): Estimate => {
  const least = unseen / Math.min(own.worth.effectiveSampleSize, base.worth.effectiveSampleSize)
  const reach = drawnReach(own.worth.drawnDeviation, base.worth.drawnDeviation)
  const { high, low, value } = intervalOf(lessOf(own, base), Math.max(least, reach))
  return { value, low: Math.max(-1, low), high: Math.min(1, high) }
}
