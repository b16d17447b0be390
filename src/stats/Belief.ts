/** A belief about a success rate: its log odds follow a logistic distribution. */
import * as Logit from "./Logit.ts"

/** Centre and scale > 0 of the log odds. Their standard deviation is scale * pi / sqrt(3). */
export interface Belief {
  readonly logit: number
  readonly scale: number
}

/** Least scale, so that no belief is certain. */
const scaleMin = 1e-6

/** The belief around a rate in [0, 1]; `deviation` is the standard deviation of its log odds. */
export const of = (mean: number, deviation: number): Belief => ({
  logit: Logit.logit(mean),
  scale: Math.max(scaleMin, (deviation * Math.sqrt(3)) / Math.PI)
})

/** Probability that the rate is at least `bar`, a rate in [0, 1]. */
export const chanceOf = (self: Belief, bar: number): number =>
  Logit.sigmoid((self.logit - Logit.logit(bar)) / self.scale)

/** log(1 + e^x), without overflow. */
const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))

/** Expected distance of the rate above `bar`, as {@link shortfall} is the distance below. */
export const surplus = (self: Belief, bar: number): number =>
  self.scale * softplus((self.logit - Logit.logit(bar)) / self.scale) * bar * (1 - bar)

/**
 * Expected distance of the rate below `bar`, a difference of rates >= 0; rates above the bar count as 0. The
 * distance is exact in log odds, and then multiplied by the slope of rates at the bar.
 *
 * @param bar rate in [0, 1]
 */
export const shortfall = (self: Belief, bar: number): number =>
  self.scale * softplus((Logit.logit(bar) - self.logit) / self.scale) * bar * (1 - bar)
