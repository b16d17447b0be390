/** The ratio of two sums over the same units, with its interval. */
import { normal975 } from "./Normal.ts"

/** Sums over units, each with a numerator c >= 0 and a denominator f that is 0 or 1. */
export interface RatioSums {
  /** Number of units, and number of units whose denominator f is 1. */
  readonly n: number
  readonly denominator: number
  readonly numerator: number
  readonly squares: number
  readonly both: number
}

/**
 * Computes R = sum(c) / sum(f) and its 95 % interval by linearisation. The result is null if no unit has f =
 * 1, and `high` is infinite if only one unit has f = 1.
 *
 * @see Cochran, Sampling Techniques (1977), section 6.3
 */
export const ratioOf = (
  { both, denominator, n, numerator, squares }: RatioSums
): { readonly ratio: number; readonly low: number; readonly high: number } | null => {
  if (denominator <= 0) return null
  const ratio = numerator / denominator
  if (denominator < 2) return { ratio, low: 0, high: Infinity }
  const residuals = Math.max(0, squares - 2 * ratio * both + ratio * ratio * denominator)
  const half = normal975 * Math.sqrt(residuals * n / (n - 1)) / denominator
  return { ratio, low: Math.max(0, ratio - half), high: ratio + half }
}
