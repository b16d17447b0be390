/** The regularised incomplete beta function, and the logarithms of gamma and beta. */

const lanczosShift = 7
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7
] as const

/**
 * Natural logarithm of the gamma function for x > 0, with an error near 1e-14 · max(1, |result|).
 *
 * @see Lanczos, A precision approximation of the gamma function (1964), with g = 7 and nine terms
 */
export const logGamma = (x: number): number => {
  // Lanczos' series is exact enough only for x >= 1, so Γ(x) = Γ(x + 1) / x is used below 1.
  if (x < 1) return logGamma(x + 1) - Math.log(x)
  let series: number = lanczos[0]
  for (let index = 1; index < lanczos.length; index++) series += lanczos[index]! / (x - 1 + index)
  const base = x - 0.5 + lanczosShift
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(series)
}

export const logBeta = (alpha: number, beta: number): number =>
  logGamma(alpha) + logGamma(beta) - logGamma(alpha + beta)

const tiny = 1e-300
const awayFromZero = (value: number): number => Math.abs(value) < tiny ? tiny : value

/** The continued fraction of I_x, which converges quickly if x is below the mean. */
const continuedFraction = (x: number, alpha: number, beta: number): number => {
  let c = 1
  let d = 1 / awayFromZero(1 - (alpha + beta) * x / (alpha + 1))
  let value = d
  for (let m = 1; m <= 5_000; m++) {
    const even = m * (beta - m) * x / ((alpha + 2 * m - 1) * (alpha + 2 * m))
    d = 1 / awayFromZero(1 + even * d)
    c = awayFromZero(1 + even / c)
    value *= d * c
    const odd = -(alpha + m) * (alpha + beta + m) * x / ((alpha + 2 * m) * (alpha + 2 * m + 1))
    d = 1 / awayFromZero(1 + odd * d)
    c = awayFromZero(1 + odd / c)
    const change = d * c
    value *= change
    if (Math.abs(change - 1) < 1e-14) break
  }
  return value
}

/**
 * Computes the regularised incomplete beta function I_x(alpha, beta), in [0, 1]: the probability of a draw
 * below x.
 *
 * @param x in [0, 1]
 * @param rest 1 - x, a parameter because the subtraction loses its digits near x = 1
 * @param logNormaliser `logBeta(alpha, beta)`, a parameter because a root search evaluates I_x many times
 * @see Abramowitz and Stegun 26.5.8; evaluated by the modified Lentz method
 */
export const regularisedBeta = (
  x: number,
  rest: number,
  alpha: number,
  beta: number,
  logNormaliser: number
): number => {
  if (x <= 0) return 0
  if (rest <= 0) return 1
  const front = Math.exp(alpha * Math.log(x) + beta * Math.log(rest) - logNormaliser)
  return x * (alpha + beta + 2) < alpha + 1
    ? Math.min(1, front * continuedFraction(x, alpha, beta) / alpha)
    : Math.max(0, 1 - front * continuedFraction(rest, beta, alpha) / beta)
}
