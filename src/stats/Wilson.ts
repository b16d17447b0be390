/** The Wilson interval of a share. */
import { normal975 } from "./Normal.ts"

const z = normal975

/**
 * Wilson's 95 % score interval of a success rate, inside [0, 1] even at 0 and 1 and for few observations.
 *
 * @param mean observed rate, in [0, 1]; partial credit makes the interval slightly too wide, never too narrow
 * @param n observations, >= 0; 0 gives [0, 1]
 * @see Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927)
 */
export const interval95 = (mean: number, n: number): { readonly low: number; readonly high: number } => {
  if (n <= 0) return { low: 0, high: 1 }
  const shrink = 1 + z * z / n
  const centre = (mean + z * z / (2 * n)) / shrink
  const half = z * Math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / shrink
  // The rate itself where rounding would leave it outside: 60 of 60 would end just below 1.
  return {
    low: Math.min(mean, Math.max(0, centre - half)), high: Math.max(mean, Math.min(1, centre + half))
  }
}
