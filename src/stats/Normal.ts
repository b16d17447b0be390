/** The normal distribution. */

/** The 97.5 % quantile of the standard normal distribution. */
export const normal975 = 1.959963984540054

/**
 * The standard normal probability below z, within 7.5e-8.
 *
 * @see Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.2.17
 */
export const normalBelow = (z: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const tail = Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI) * t
    * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return z > 0 ? 1 - tail : tail
}

/**
 * The standard normal quantile of p, in [0.5, 1), within 4.5e-4.
 *
 * @see Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.2.23
 */
export const normalQuantile = (p: number): number => {
  const t = Math.sqrt(-2 * Math.log(1 - p))
  return t - (2.515517 + t * (0.802853 + t * 0.010328))
    / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
}
