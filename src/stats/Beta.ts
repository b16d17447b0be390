/** The Beta distribution of a success rate: priors, moments and intervals. */
import { logBeta, regularisedBeta } from "./IncompleteBeta.ts"

/** Pseudo-counts of a success rate, both >= 0. */
export interface Beta {
  readonly alpha: number
  readonly beta: number
}

// Range of alpha and beta. If alpha or beta is 1e6, the 95 % interval is narrower than 0.002.
const leastCount = 1e-6
const largestCount = 1e6

// NaN becomes `least`.
const clamp = (value: number, least: number, most: number): number =>
  value > least ? Math.min(value, most) : least

/** Builds a prior with mean `mean`, in (0, 1), that weighs as much as `strength` > 0 observations. */
export const prior = (mean: number, strength: number): Beta => ({
  alpha: mean * strength,
  beta: (1 - mean) * strength
})

export const mean = (self: Beta): number => self.alpha / (self.alpha + self.beta)

/** Computes a Beta's variance from its mean, in [0, 1], and from alpha + beta = `sampleSize` >= 0. */
export const varianceOf = (mean: number, sampleSize: number): number => mean * (1 - mean) / (sampleSize + 1)

export const variance = (self: Beta): number => varianceOf(mean(self), self.alpha + self.beta)

/** Builds a Beta of this mean, clamped to [0, 1], and alpha + beta = `sampleSize`, clamped to 1e-6 … 1e6. */
export const ofMean = (mean: number, sampleSize: number): Beta =>
  prior(clamp(mean, 0, 1), clamp(sampleSize, leastCount, largestCount))

/** The search for log x ends after a step this small, because the next step would change x by under 1e-13. */
const lastStep = 1e-7

/**
 * Computes the x with I_x(alpha, beta) = `tail`, by Newton steps on log I over u = log x. For beta < 1 the
 * steps could diverge, so a bracket around the root bounds them.
 */
const lowerQuantile = (alpha: number, beta: number, tail: number, logNormaliser: number): number => {
  const centre = alpha / (alpha + beta)
  const deviation = Math.sqrt(varianceOf(centre, alpha + beta))
  const fromNormal = Math.log(Math.max(centre - 1.96 * deviation, 0))
  // Near x = 0, the leading term of I_x gives a first value for log x, which is exact if beta = 1.
  const fromPower = (Math.log(tail) + Math.log(alpha) + logNormaliser) / alpha
  let low = -745 // exp underflows below it, so the quantile is 0
  let high = 0
  let u = Math.max(fromNormal, fromPower < 0 ? fromPower : low)
  for (let step = 0; step < 200 && Math.exp(high) - Math.exp(low) > 1e-12; step++) {
    const rest = -Math.expm1(u)
    const area = regularisedBeta(Math.exp(u), rest, alpha, beta, logNormaliser)
    if (area < tail) low = u
    else high = u
    const slope = Math.exp(alpha * u + (beta - 1) * Math.log(rest) - logNormaliser) / area
    const next = u - Math.log(area / tail) / slope
    if (Math.abs(next - u) <= lastStep) return Math.exp(Math.min(0, next))
    u = next > low && next < high ? next : (low + high) / 2
  }
  return Math.exp(u)
}

/**
 * Computes the equal-tailed 95 % interval of a Beta distribution. Both alpha and beta are clamped to 1e-6 …
 * 1e6.
 *
 * @see Abramowitz and Stegun, Handbook of Mathematical Functions, section 26.5
 */
export const interval95 = (self: Beta): { readonly low: number; readonly high: number } => {
  const alpha = clamp(self.alpha, leastCount, largestCount)
  const beta = clamp(self.beta, leastCount, largestCount)
  const logNormaliser = logBeta(alpha, beta)
  const low = lowerQuantile(alpha, beta, 0.025, logNormaliser)
  // Near 0 and 1 rounding may put `high` below `low` by 1e-12.
  return { low, high: Math.max(low, 1 - lowerQuantile(beta, alpha, 0.025, logNormaliser)) }
}
