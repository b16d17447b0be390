/**
 * What a lane learns of the spread of its tasks' difficulty: each outcome after judged attempts is as likely
 * as the spread makes it, and these likelihoods are the evidence. Log-likelihoods add up, so that their order
 * does not matter and a part can be taken back.
 */

/** The spreads that are compared, logit: 0 where a failure says nothing of the next attempt. */
export const spreads: ReadonlyArray<number> = [0, 0.75, 1.5, 2.25, 3, 4, 5.5]

/** Summed log-likelihoods of outcomes, one for each of {@link spreads}; empty without any outcome. */
export type SpreadEvidence = ReadonlyArray<number>

export const noSpreadEvidence: SpreadEvidence = []

/** What is believed of a lane without evidence: normally distributed, logit. */
export interface SpreadRule {
  readonly mean: number
  readonly deviation: number
}

/** Least probability of a verdict, so that none rules a spread out for ever. */
const leastLikelihood = 0.01

/**
 * How likely a verdict was at each spread.
 *
 * @param predictions success of the attempt at each of {@link spreads}, in [0, 1]
 * @param weight of the verdict, in [0, 1]
 */
export const evidenceOf = (
  predictions: ReadonlyArray<number>,
  passed: boolean,
  weight: number
): SpreadEvidence =>
  predictions.map((p) => weight * Math.log(Math.max(leastLikelihood, passed ? p : 1 - p)))

/** The sum of two, with the second one's sign; an empty one counts as zeros. */
export const combined = (one: SpreadEvidence, other: SpreadEvidence, sign: 1 | -1 = 1): SpreadEvidence =>
  other.length === 0 ? one : other.map((each, i) => (one[i] ?? 0) + sign * each)

/** The spread that is expected after the evidence: the mean of the posterior over {@link spreads}. */
export const spreadOf = (evidence: SpreadEvidence, { deviation, mean }: SpreadRule): number => {
  if (evidence.length !== spreads.length) return mean
  const logs = spreads.map((spread, i) => evidence[i]! - ((spread - mean) / deviation) ** 2 / 2)
  const highest = Math.max(...logs)
  const weights = logs.map((each) => Math.exp(each - highest))
  const total = weights.reduce((sum, each) => sum + each, 0)
  return weights.reduce((sum, each, i) => sum + each * spreads[i]!, 0) / total
}
