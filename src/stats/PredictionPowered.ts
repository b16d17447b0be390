/* Estimates the mean of a costly value from a cheap, biased measure that was checked on some items. */
import { clamp } from "./Clamp.ts"
import { student975 } from "./Student.ts"

/** Sums over pairs of a true value y and a cheap value f of the same item, each in [0, 1]. */
export interface PairSums {
  readonly n: number
  readonly y: number
  readonly f: number
  readonly yy: number
  readonly ff: number
  readonly yf: number
}

export interface RestSums {
  readonly n: number
  readonly f: number
  readonly ff: number
}

interface PoweredMean {
  readonly mean: number
  /** Ends of the 95 % interval of the mean, in [0, 1]. */
  readonly low: number
  readonly high: number
  /** Weight of the cheap measure, in [0, 1]: 0 ignores it, and 1 trusts it except for a constant error. */
  readonly power: number
}

/** Number of pairs added for each combination of 0 and 1, so that samples without errors have a variance. */
const addedPairs = 0.5

const smoothed = ({ f, ff, n, y, yf, yy }: PairSums): PairSums => ({
  n: n + 4 * addedPairs, y: y + 2 * addedPairs, f: f + 2 * addedPairs, yy: yy + 2 * addedPairs,
  ff: ff + 2 * addedPairs, yf: yf + addedPairs
})

/**
 * Estimates the mean of y: the mean of the pairs, moved by the difference of the cheap values between
 * remaining items and pairs. Pairs must be like the remaining items, for example drawn at random.
 *
 * @see Angelopoulos, Duchi and Zrnic, PPI++: Efficient Prediction-Powered Inference (2023), for `power`
 * @see Agresti and Coull, Approximate Is Better than "Exact" (1998), for the added pairs
 */
export const poweredMean = (pairs: PairSums, rest: RestSums): PoweredMean => {
  const { f, ff, n, y, yf, yy } = smoothed(pairs)
  const [meanY, meanF] = [y / n, f / n]
  const varianceY = yy / n - meanY ** 2
  const varianceF = ff / n - meanF ** 2
  const covariance = yf / n - meanY * meanF
  const power = rest.n === 0 ? 0 : clamp(covariance / (varianceF * (1 + n / rest.n)), 0, 1)
  const restMean = rest.n === 0 ? meanF : rest.f / rest.n
  const restVariance = rest.n === 0 ? 0 : Math.max(varianceF / 4, rest.ff / rest.n - restMean ** 2)
  const ofPairs = varianceY - 2 * power * covariance + power ** 2 * varianceF
  const ofRest = rest.n === 0 ? 0 : power ** 2 * restVariance / rest.n
  const mean = meanY + power * (restMean - meanF)
  const half = student975(n - 1) * Math.sqrt(Math.max(0, ofPairs) / (n - 1) + ofRest)
  const inside = (value: number): number => clamp(value, 0, 1)
  return { mean: inside(mean), low: inside(mean - half), high: inside(mean + half), power }
}
