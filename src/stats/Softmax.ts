/** Softmax, the distribution of an exploring pick, and a draw from it. */

/** Softmax of the first `count` scores at a temperature >= 0; the sum is 1. No finite scores overflow. */
export const tempered = (
  scores: ArrayLike<number>,
  temperature: number,
  count = scores.length
): ReadonlyArray<number> => {
  const scale = Math.max(temperature, 1e-12)
  let highest = -Infinity
  for (let index = 0; index < count; index++) highest = Math.max(highest, scores[index]!)
  const shares: Array<number> = []
  let total = 0
  for (let index = 0; index < count; index++) {
    const raised = Math.exp((scores[index]! - highest) / scale)
    shares.push(raised)
    total += raised
  }
  for (let index = 0; index < count; index++) shares[index]! /= total
  return shares
}

/**
 * The propensity of each pick: the greedy pick with probability 1 - epsilon, else a draw from `distribution`.
 *
 * @param epsilon in [0, 1]
 */
export const epsilonMix = (
  distribution: ReadonlyArray<number>,
  greedyIndex: number,
  epsilon: number
): ReadonlyArray<number> =>
  distribution.map((share, index) => epsilon * share + (index === greedyIndex ? 1 - epsilon : 0))

/**
 * Index of the entry that a uniform number in [0, 1) falls on; -1 if all probabilities are 0. Never an entry
 * of probability 0, even if rounding leaves the sum below 1.
 */
export const draw = (distribution: ReadonlyArray<number>, uniform: number): number => {
  let cumulative = 0
  for (const [index, share] of distribution.entries()) {
    cumulative += share
    if (share > 0 && uniform < cumulative) return index
  }
  return distribution.findLastIndex((share) => share > 0)
}
