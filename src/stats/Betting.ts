/*
 * Tests by betting: evidence about the mean of bounded scores that is valid at any time.
 *
 * A player bets a share λ, in [0, 1 / lowest), of the player's capital on each score x ≥ −lowest. Each score
 * multiplies the capital by 1 + λ·x. If no score has a positive expectation, given the scores before it, no
 * bet gains on average. The capital is then a nonnegative supermartingale, and the probability that it ever
 * reaches 1/α is at most α (Ville's inequality). Therefore the test is valid even if the capital is read
 * after every score.
 *
 * Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
 * Statistical Society B 86 (2024): the capital process, and an average over several bets.
 */

/**
 * The shares of the largest safe bet, 1 / lowest, that are bet in parallel. The best share is unknown, but
 * one of these shares is near it.
 */
const shares = [3 / 4, 3 / 8, 3 / 16, 3 / 32, 3 / 64]

/** Logarithm of the capital of each parallel bet. */
export type Capital = ReadonlyArray<number>

/** The capital before the first score, which is 1 for each bet (logarithm 0). */
export const stake: Capital = shares.map(() => 0)

/** Computes the logarithm of the factor by which a score multiplies the capital of a bet. */
const gain = (share: number, score: number, lowest: number): number => Math.log1p(share * score / lowest)

/**
 * Returns the capital after one more score.
 *
 * @param score at least −lowest
 * @param lowest a bound > 0 that was chosen before the score was known
 */
export const bet = (capital: Capital, score: number, lowest: number): Capital =>
  capital.map((log, each) => log + gain(shares[each]!, score, lowest))

/**
 * Returns the capital of a change detector after one more score. The change may begin at any score, so a bet
 * whose capital is below 1 starts again at 1. While no score has a positive expectation, the capital first
 * reaches A after at least A scores on average.
 *
 * Shin, Ramdas and Rinaldo, "E-detectors", New England Journal of Statistics in Data Science 2 (2023), CUSUM.
 */
export const detect = (capital: Capital, score: number, lowest: number): Capital =>
  capital.map((log, each) => Math.max(log, 0) + gain(shares[each]!, score, lowest))

/** Returns the higher of an earlier evidence and the evidence of this capital. */
export const highestEvidence = (before: number, capital: Capital): number =>
  // The mean capital is at most that of the highest bet, so the mean is seldom computed.
  Math.max(...capital) <= before ? before : Math.max(before, evidence(capital))

/**
 * Computes the evidence: the logarithm of the mean capital over the bets, which is compared with log(1/α) or
 * log(A).
 */
export const evidence = (capital: Capital): number => {
  const highest = Math.max(...capital)
  return highest + Math.log(capital.reduce((sum, log) => sum + Math.exp(log - highest), 0) / capital.length)
}
