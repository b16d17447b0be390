/** A belief about a success rate: its log odds follow a logistic distribution. */
import * as Logit from "./Logit.ts"

/** Centre and scale > 0 of log odds, whose standard deviation is scale * pi / sqrt(3). */
export interface Belief {
  readonly logit: number
  readonly scale: number
}

/** Minimum scale, so that no belief is certain. */
const scaleMin = 1e-6

/** `deviation` is the standard deviation of the log odds. */
export const of = (mean: number, deviation: number): Belief => ({
  logit: Logit.logit(mean),
  scale: Math.max(scaleMin, (deviation * Math.sqrt(3)) / Math.PI)
})

/** Computes the probability that the rate is at least `bar`, a rate in [0, 1]. */
export const chanceOf = (self: Belief, bar: number): number =>
  Logit.sigmoid((self.logit - Logit.logit(bar)) / self.scale)

const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))

/** Approximates the expected distance of the rate above `bar`; rates below the bar count as 0. */
export const surplus = (self: Belief, bar: number): number =>
  self.scale * softplus((self.logit - Logit.logit(bar)) / self.scale) * bar * (1 - bar)

/**
 * Approximates the expected distance of the rate below `bar`, >= 0; rates above the bar count as 0. Near the
 * bar, a distance in log odds times bar · (1 - bar) is about the difference of rates.
 */
export const shortfall = (self: Belief, bar: number): number =>
  self.scale * softplus((Logit.logit(bar) - self.logit) / self.scale) * bar * (1 - bar)
