/** Corrects for selection: models get different tasks. */
import type { Tally } from "./NeighbourMixture.ts"

/**
 * Computes the share of the picks that a model received, in (0, 1], smoothed by one imaginary pick for each
 * model.
 */
export const smoothedShare = (count: number, total: number, models: number): number =>
  (count + 1) / (total + models)

/** Computes 1 / propensity, clipped to [low, high] so that one rare pick cannot outweigh all others. */
export const inverseWeight = (propensity: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, 1 / propensity))

/** Rescales to a mean of 1, so that the correction adds no evidence. Weights that sum to 0 stay unchanged. */
export const normalizeToMeanOne = (weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return total > 0 ? weights.map((weight) => weight * weights.length / total) : weights
}

/**
 * Combines tallies, weighted by a factor g > 0 for each. The weight of the result is the effective sample
 * size (sum g n)^2 / sum g^2 n, with n as the weight of a tally.
 *
 * @see Kish, Survey Sampling (1965), section 11.7, effective sample size
 */
export const reweighted = (parts: ReadonlyArray<Tally>, factors: ReadonlyArray<number>): Tally => {
  let [sum, squares, successes] = [0, 0, 0]
  parts.forEach(({ success, weight }, i) => {
    const factor = factors[i] ?? 1
    sum += factor * weight
    squares += factor * factor * weight
    successes += factor * success
  })
  if (!(squares > 0)) return { weight: 0, success: 0 }
  const weight = sum * sum / squares
  return { weight, success: Math.min(weight, weight * successes / sum) }
}
