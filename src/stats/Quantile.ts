/** Weighted quantiles. */
import { sortBeside } from "./SortBeside.ts"

/** Returns the value at share `q` of the total weight; null if there are no values. */
const valueAt = (
  values: Float64Array,
  weights: Float64Array,
  count: number,
  total: number,
  q: number
): number | null => {
  const target = q * total
  let below = 0
  let previousMidpoint = 0
  for (let i = 0; i < count; i++) {
    const value = values[i]!
    const midpoint = below + weights[i]! / 2
    if (target <= midpoint) {
      if (i === 0) return value
      const share = (target - previousMidpoint) / (midpoint - previousMidpoint)
      return Math.min(value, values[i - 1]! + share * (value - values[i - 1]!))
    }
    previousMidpoint = midpoint
    below += weights[i]!
  }
  return count === 0 ? null : values[count - 1]!
}

let sortedValues = new Float64Array(256)
let sortedWeights = new Float64Array(256)

/**
 * Computes weighted quantiles, linear between the midpoints of the values' shares of the weight. Returns null
 * for each quantile if no value has a weight above 0.
 *
 * @param weights a value without a weight above 0 is left out
 * @param shares the quantiles to compute, in [0, 1]
 * @param given how many values are read, from the front
 * @see Hyndman and Fan, Sample Quantiles in Statistical Packages (1996), definition 5, with weights
 */
export const weightedQuantiles = (
  values: ArrayLike<number>,
  weights: ArrayLike<number>,
  shares: ReadonlyArray<number>,
  given: number = values.length
): ReadonlyArray<number | null> => {
  if (sortedValues.length < given) {
    sortedValues = new Float64Array(given)
    sortedWeights = new Float64Array(given)
  }
  let count = 0
  for (let i = 0; i < given; i++) {
    const weight = weights[i] ?? 0
    if (!(weight > 0)) continue
    sortedValues[count] = values[i]!
    sortedWeights[count++] = weight
  }
  sortBeside(sortedValues, sortedWeights, count)
  let total = 0
  for (let i = 0; i < count; i++) total += sortedWeights[i]!
  return shares.map((share) => valueAt(sortedValues, sortedWeights, count, total, share))
}
