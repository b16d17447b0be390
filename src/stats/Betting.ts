/*
 * Tests by betting: evidence, valid whenever it is looked at, about the mean of bounded scores.
 *
 * A player who bets the share λ, in [0, 1 / lowest), of its capital on scores x ≥ −lowest multiplies the
 * capital by 1 + λ·x at each. While no score has a positive expectation, given those before it, no bet
 * gains on average, so the capital is a nonnegative supermartingale, and the probability that it ever
 * reaches 1/α is at most α (Ville's inequality). It may be looked at after every score, and the betting may
 * end at any time.
 *
 * Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
 * Statistical Society B 86 (2024): the capital process, and an average over several bets.
 */

/** Shares of the largest safe bet, 1 / lowest: one of them is near the best bet, which is not known. */
const shares = [3 / 4, 3 / 8, 3 / 16, 3 / 32, 3 / 64]

/** Capital of each bet, in logarithms; one for each of the shares. */
export type Capital = ReadonlyArray<number>

/** Before the first score the capital is 1. */
export const stake: Capital = shares.map(() => 0)

/** What one score multiplies the capital of a bet by, in logarithms. */
const gain = (share: number, score: number, lowest: number): number => Math.log1p(share * score / lowest)

/**
 * The capital after one more score.
 *
 * @param score at least −lowest
 * @param lowest > 0, chosen before the score was known
 */
export const bet = (capital: Capital, score: number, lowest: number): Capital =>
  capital.map((log, each) => log + gain(shares[each]!, score, lowest))

/**
 * The same, for a change that may begin at any score: each bet starts again at 1 rather than go on with less.
 * A detector by e-processes (Shin, Ramdas and Rinaldo, "E-detectors", New England Journal of Statistics in
 * Data Science 2, 2023, the CUSUM form): while no score has a positive expectation, the capital first reaches
 * A after A scores or more on average.
 */
export const detect = (capital: Capital, score: number, lowest: number): Capital =>
  capital.map((log, each) => Math.max(log, 0) + gain(shares[each]!, score, lowest))

/** The higher of an earlier evidence and that of this capital. */
export const highestEvidence = (before: number, capital: Capital): number =>
  // The mean is at most the highest, and most scores set no new one.
  Math.max(...capital) <= before ? before : Math.max(before, evidence(capital))

/** Logarithm of the mean capital over the bets: the evidence, to be compared with log(1/α) or log(A). */
export const evidence = (capital: Capital): number => {
  const highest = Math.max(...capital)
  return highest + Math.log(capital.reduce((sum, log) => sum + Math.exp(log - highest), 0) / capital.length)
}
