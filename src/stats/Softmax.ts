/** The distributions of an exploring pick, and a draw from them. */

/**
 * Softmax of `scores` at a temperature > 0: sums to 1, one entry per score; empty for none. Low temperatures
 * put all probability on the highest score, without overflow for any finite scores.
 */
export const tempered = (scores: ReadonlyArray<number>, temperature: number): ReadonlyArray<number> => {
  const highest = scores.reduce((most, score) => Math.max(most, score), -Infinity)
  const scale = Math.max(temperature, 1e-12)
  const raised = scores.map((score) => Math.exp((score - highest) / scale))
  const total = raised.reduce((sum, value) => sum + value, 0)
  return raised.map((value) => value / total)
}

/**
 * The greedy pick with probability 1 - epsilon, else a draw from `distribution`. Sums to 1 when that does, so
 * entry i is the propensity with which i is picked.
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
 * Index of the entry that a uniform number in [0, 1) falls on. Never an entry without probability, even where
 * the sum falls short of 1 by rounding; -1 when no entry has any.
 */
export const draw = (distribution: ReadonlyArray<number>, uniform: number): number => {
  let cumulative = 0
  for (const [index, share] of distribution.entries()) {
    cumulative += share
    if (share > 0 && uniform < cumulative) return index
  }
  return distribution.findLastIndex((share) => share > 0)
}
