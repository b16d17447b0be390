/** The interval of the difference of two success rates. */
import * as Wilson from "./Wilson.ts"

/** A mean success in [0, 1] of so many observations, which may be weighed. */
export interface Rate {
  readonly mean: number
  readonly n: number
}

/**
 * 95 % interval of `one` less `other`, in [-1, 1], from Wilson's interval of each: method 10 of Newcombe,
 * "Interval estimation for the difference between independent proportions", Statistics in Medicine 17, 1998.
 * Without observations of one of them it is as wide as the other allows.
 */
export const interval95 = (one: Rate, other: Rate): { readonly low: number; readonly high: number } => {
  const ofOne = Wilson.interval95(one.mean, one.n)
  const ofOther = Wilson.interval95(other.mean, other.n)
  const difference = one.mean - other.mean
  return {
    low: difference - Math.hypot(one.mean - ofOne.low, ofOther.high - other.mean),
    high: difference + Math.hypot(ofOne.high - one.mean, other.mean - ofOther.low)
  }
}
