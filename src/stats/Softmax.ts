/** Softmax, the distribution of a pick that explores, and a random draw from a distribution. */

/** The softmax of the first `count` scores at a temperature >= 0. Finite scores never overflow. */
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

/** With probability 1 - epsilon the greedy pick is taken, and otherwise `distribution` decides. */
export const epsilonMix = (
  distribution: ReadonlyArray<number>,
  greedyIndex: number,
  epsilon: number
): ReadonlyArray<number> =>
  distribution.map((share, index) => epsilon * share + (index === greedyIndex ? 1 - epsilon : 0))

/**
 * Returns the index that a uniform random number in [0, 1) selects; -1 if all probabilities are 0. An entry
 * of probability 0 is never selected, even if rounding leaves the sum below 1.
 */
export const draw = (distribution: ReadonlyArray<number>, uniform: number): number => {
  let cumulative = 0
  for (const [index, share] of distribution.entries()) {
    cumulative += share
    if (share > 0 && uniform < cumulative) return index
  }
  return distribution.findLastIndex((share) => share > 0)
}
