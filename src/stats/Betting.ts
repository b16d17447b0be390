/*
 * Tests by betting: evidence about the mean of bounded scores that is valid at any time.
 *
 * A player bets a share λ, in [0, 1 / lowest), of the capital on each score x ≥ −lowest, which multiplies the
 * capital by 1 + λ·x. If no score has a positive expectation, given the scores before it, the probability
 * that the capital ever reaches 1/α is at most α (Ville's inequality).
 *
 * @see Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the
 * Royal Statistical Society B 86 (2024)
 */

/** The shares of the largest safe bet that are bet in parallel, because the best share is unknown. */
const shares = [3 / 4, 3 / 8, 3 / 16, 3 / 32, 3 / 64]

/** Logarithm of the capital of each parallel bet. */
export type Capital = ReadonlyArray<number>

/** The capital before the first score, which is 1 for each bet (logarithm 0). */
export const stake: Capital = shares.map(() => 0)

const gain = (share: number, score: number, lowest: number): number => Math.log1p(share * score / lowest)

/**
 * Returns the capital after one more score, which must be at least −`lowest`.
 *
 * @param lowest a number > 0 that was chosen before the score was known
 */
export const bet = (capital: Capital, score: number, lowest: number): Capital =>
  capital.map((log, each) => log + gain(shares[each]!, score, lowest))

/**
 * Returns the capital of a change detector after one more score. While no score has a positive expectation,
 * the capital first reaches A after at least A scores on average.
 *
 * @see Shin, Ramdas and Rinaldo, "E-detectors", New England Journal of Statistics in Data Science 2 (2023)
 */
export const detect = (capital: Capital, score: number, lowest: number): Capital =>
  capital.map((log, each) => Math.max(log, 0) + gain(shares[each]!, score, lowest))

export const highestEvidence = (before: number, capital: Capital): number =>
  // The bets' mean capital is computed only if one bet's capital exceeds the earlier maximum `before`.
  Math.max(...capital) <= before ? before : Math.max(before, evidence(capital))

/** Computes the logarithm of the mean capital of the parallel bets. */
export const evidence = (capital: Capital): number => {
  const highest = Math.max(...capital)
  return highest + Math.log(capital.reduce((sum, log) => sum + Math.exp(log - highest), 0) / capital.length)
}
