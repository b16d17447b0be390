/*
 * Tests by betting: evidence about the mean of bounded scores that is valid at any time.
 *
 * A player bets a share λ, in [0, 1 / lowest), of its capital on each score x ≥ −lowest. Each score
 * multiplies the capital by 1 + λ·x. If no score has a positive expectation, given the scores before it, no
 * bet gains on average. The capital is then a nonnegative supermartingale, and the probability that it ever
 * reaches 1/α is at most α (Ville's inequality). So the capital may be read after every score.
 *
 * Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
 * Statistical Society B 86 (2024): the capital process, and an average over several bets.
 */

/** Shares of the largest safe bet, 1 / lowest. One of them is near the best bet, which is unknown. */
const shares = [3 / 4, 3 / 8, 3 / 16, 3 / 32, 3 / 64]

/** Logarithm of the capital of each bet, one for each of the shares. */
export type Capital = ReadonlyArray<number>

/** Capital before the first score: 1 for each bet. */
export const stake: Capital = shares.map(() => 0)

/** Logarithm of the factor by which a score multiplies the capital of a bet. */
const gain = (share: number, score: number, lowest: number): number => Math.log1p(share * score / lowest)

/**
 * The capital after one more score.
 *
 * @param score at least −lowest
 * @param lowest bound > 0 that was chosen before the score was known
 */
export const bet = (capital: Capital, score: number, lowest: number): Capital =>
  capital.map((log, each) => log + gain(shares[each]!, score, lowest))

/**
 * The capital of a detector after one more score. The change that it detects may begin at any score, so a bet
 * with less than 1 starts again at 1. While no score has a positive expectation, the capital first reaches A
 * after A scores or more on average.
 *
 * Shin, Ramdas and Rinaldo, "E-detectors", New England Journal of Statistics in Data Science 2 (2023), CUSUM.
 */
export const detect = (capital: Capital, score: number, lowest: number): Capital =>
  capital.map((log, each) => Math.max(log, 0) + gain(shares[each]!, score, lowest))

/** The higher of an earlier evidence and the evidence of this capital. */
export const highestEvidence = (before: number, capital: Capital): number =>
  // The mean is at most the highest bet, so most scores need no mean.
  Math.max(...capital) <= before ? before : Math.max(before, evidence(capital))

/** The evidence: logarithm of the mean capital over the bets, to be compared with log(1/α) or log(A). */
export const evidence = (capital: Capital): number => {
  const highest = Math.max(...capital)
  return highest + Math.log(capital.reduce((sum, log) => sum + Math.exp(log - highest), 0) / capital.length)
}
