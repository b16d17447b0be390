/** Wilson's interval of a success rate, and Newcombe's interval of the difference of two rates. */
import { normal975 } from "./Normal.ts"

const z = normal975

/**
 * Wilson's 95 % score interval, inside [0, 1].
 *
 * @param mean observed rate, in [0, 1]; partial credit makes the interval slightly too wide
 * @param n number of observations, >= 0; with 0 the interval is [0, 1]
 * @see Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927)
 */
export const interval95 = (mean: number, n: number): { readonly low: number; readonly high: number } => {
  if (n <= 0) return { low: 0, high: 1 }
  const shrink = 1 + z * z / n
  const centre = (mean + z * z / (2 * n)) / shrink
  const half = z * Math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / shrink
  // The interval includes the mean; rounding would otherwise end the interval of 60 of 60 just below 1.
  return {
    low: Math.min(mean, Math.max(0, centre - half)), high: Math.max(mean, Math.min(1, centre + half))
  }
}

/** A mean success in [0, 1] of `n` observations, which may be weighted. */
interface Rate {
  readonly mean: number
  readonly n: number
}

/**
 * Computes the 95 % interval of the difference of two rates, `one.mean` - `other.mean`, in [-1, 1].
 *
 * @see Newcombe, Interval estimation for the difference between independent proportions (1998), method 10
 */
export const differenceInterval95 = (
  one: Rate,
  other: Rate
): { readonly low: number; readonly high: number } => {
  const ofOne = interval95(one.mean, one.n)
  const ofOther = interval95(other.mean, other.n)
  const difference = one.mean - other.mean
  return {
    low: difference - Math.hypot(one.mean - ofOne.low, ofOther.high - other.mean),
    high: difference + Math.hypot(ofOne.high - one.mean, other.mean - ofOther.low)
  }
}
