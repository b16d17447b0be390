/** Quantiles of Student's t distribution. */
import { normal975 } from "./Normal.ts"

/**
 * Computes the 97.5 % quantile of Student's t: within 0.5 % from 5 degrees of freedom on, and within 2 % from
 * 3 on.
 *
 * @param degrees degrees of freedom, > 0
 * @see Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.5
 */
export const student975 = (degrees: number): number => {
  const z = normal975
  return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2)
    + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3)
}
