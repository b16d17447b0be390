/**
 * Learns how much the difficulty of a lane's tasks varies. Log-likelihoods may be added in any order and
 * subtracted again.
 */

/** The spreads that are compared, logit. At a spread of 0, a failure says nothing about the next attempt. */
export const spreads: ReadonlyArray<number> = [0, 0.75, 1.5, 2.25, 3, 4, 5.5]

/** Summed log-likelihoods, one for each of {@link spreads}, or empty without outcomes. */
export type SpreadEvidence = ReadonlyArray<number>

export const noSpreadEvidence: SpreadEvidence = []

/** The normal prior of a lane's spread, logit. */
export interface SpreadRule {
  readonly mean: number
  readonly deviation: number
}

/** Minimum probability of a verdict, so that no verdict rules a spread out forever. */
const leastLikelihood = 0.01

/**
 * Computes the weighted log-likelihood of a verdict at each spread.
 *
 * @param predictions predicted success of the attempt at each of {@link spreads}, in [0, 1]
 */
export const evidenceOf = (
  predictions: ReadonlyArray<number>,
  passed: boolean,
  weight: number
): SpreadEvidence =>
  predictions.map((p) => weight * Math.log(Math.max(leastLikelihood, passed ? p : 1 - p)))

/** Adds the evidence of `other` to `one`, or subtracts it if `sign` is -1. */
export const combined = (one: SpreadEvidence, other: SpreadEvidence, sign: 1 | -1 = 1): SpreadEvidence =>
  other.length === 0 ? one : other.map((each, i) => (one[i] ?? 0) + sign * each)

/** Computes the expected spread after the evidence, logit: the mean of the posterior over {@link spreads}. */
export const spreadOf = (evidence: SpreadEvidence, { deviation, mean }: SpreadRule): number => {
  if (evidence.length !== spreads.length) return mean
  const logs = spreads.map((spread, i) => evidence[i]! - ((spread - mean) / deviation) ** 2 / 2)
  const highest = Math.max(...logs)
  const weights = logs.map((each) => Math.exp(each - highest))
  const total = weights.reduce((sum, each) => sum + each, 0)
  return weights.reduce((sum, each, i) => sum + each * spreads[i]!, 0) / total
}
