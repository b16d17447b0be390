/** A belief about a success rate, whose log odds follow a logistic distribution. */
import * as Logit from "./Logit.ts"

/** Centre of the log odds, and scale of the distribution, > 0; its deviation is scale * pi / sqrt(3). */
export interface Belief {
  readonly logit: number
  readonly scale: number
}

/** Least scale, so that no belief is certain. */
const scaleMin = 1e-6

/** The belief around a rate in [0, 1], with this standard deviation of its log odds. */
export const of = (mean: number, deviation: number): Belief => ({
  logit: Logit.logit(mean),
  scale: Math.max(scaleMin, (deviation * Math.sqrt(3)) / Math.PI)
})

/** Probability that the rate is at least `bar`, a rate in [0, 1]. */
export const chanceOf = (self: Belief, bar: number): number =>
  Logit.sigmoid((self.logit - Logit.logit(bar)) / self.scale)

/** log(1 + e^x), without overflow. */
const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))

/** How far the rate is expected to lie above `bar`, as {@link shortfall} is below it. */
export const surplus = (self: Belief, bar: number): number =>
  self.scale * softplus((self.logit - Logit.logit(bar)) / self.scale) * bar * (1 - bar)

/**
 * How far the rate is expected to lie below `bar`, counting 0 where it does not, as a difference of rates,
 * >= 0. Exact in log odds, and brought to rates by their slope at the bar.
 *
 * @param bar rate in [0, 1]
 */
export const shortfall = (self: Belief, bar: number): number =>
  self.scale * softplus((Logit.logit(bar) - self.logit) / self.scale) * bar * (1 - bar)
