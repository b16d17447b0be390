/* The mean of what is costly to measure, by a cheap and biased measure of it that was checked on some. */
import { clamp } from "./Clamp.ts"
import { student975 } from "./Student.ts"

/** Sums over things of which both are known: the true value y and the cheap one f, each in [0, 1]. */
export interface PairSums {
  readonly n: number
  readonly y: number
  readonly f: number
  readonly yy: number
  readonly ff: number
  readonly yf: number
}

/** Sums over those of which the cheap value alone is known. */
export interface RestSums {
  readonly n: number
  readonly f: number
  readonly ff: number
}

interface PoweredMean {
  readonly mean: number
  /** The 95 % interval, in [0, 1]. */
  readonly low: number
  readonly high: number
  /** How far the cheap values are used: 0, not at all, to 1, as if they were true but for a constant. */
  readonly power: number
}

/**
 * Pairs that are added of each of the four combinations of 0 and 1, count: without an error among thirty
 * pairs the variance would be 0. As in the interval of Agresti and Coull, whose four are half successes.
 */
const addedPairs = 0.5

const smoothed = ({ f, ff, n, y, yf, yy }: PairSums): PairSums => ({
  n: n + 4 * addedPairs, y: y + 2 * addedPairs, f: f + 2 * addedPairs, yy: yy + 2 * addedPairs,
  ff: ff + 2 * addedPairs, yf: yf + addedPairs
})

/**
 * The mean of y over pairs and rest: that of the pairs, moved by what the cheap values say of the rest beyond
 * the pairs. Pairs must be like the rest, as where they were drawn at random. The more f tells of y, the more
 * the rest counts; where it tells nothing, the interval is about that of the pairs alone.
 *
 * @see Angelopoulos, Duchi and Zrnic, PPI++: Efficient Prediction-Powered Inference (2023), for the power
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
