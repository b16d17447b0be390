/**
 * Corrects for selection (models get different tasks) by shares of picks, their inverse weights, and the
 * effective sample size.
 */
import type { Tally } from "./NeighbourMixture.ts"

/**
 * Computes the share of the picks that a model received, in (0, 1), smoothed by one imaginary pick of each of
 * `models`.
 *
 * @param count number of picks of this model, in [0, total]
 */
export const smoothedShare = (count: number, total: number, models: number): number =>
  (count + 1) / (total + models)

/** Computes 1 / propensity, clipped to [low, high] so that one rare pick cannot outweigh all others. */
export const inverseWeight = (propensity: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, 1 / propensity))

/**
 * Rescales the weights to a mean of 1, so that the correction adds no evidence. The weights stay unchanged if
 * their sum is 0.
 */
export const normalizeToMeanOne = (weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return total > 0 ? weights.map((weight) => weight * weights.length / total) : weights
}

/**
 * Combines several tallies, whose outcomes are weighted by a factor g for each tally. The weight of the
 * result is the effective sample size (sum g n)^2 / sum g^2 n, with n as the weight of a tally. Equal factors
 * change nothing.
 *
 * @see Kish, Survey Sampling (1965), section 11.7, effective sample size
 * @param factors factor g of each part, > 0
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
