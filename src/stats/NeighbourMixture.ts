/** The predicted success of a model: a mixture of predictions by its neighbours and by its cells. */
import { clamp } from "./Clamp.ts"

/** Sums of outcomes: their total weight, and the weighted sum of successes, in [0, weight]. */
export interface Tally {
  readonly weight: number
  readonly success: number
}

/** Mean of a tally with a prior `mean` that counts as `strength` > 0 observations, in [0, 1]. */
export const backOff = (strength: number, mean: number, tally: Tally): number =>
  (strength * mean + tally.success) / (strength + tally.weight)

/** The mixture of the cells' prediction t and the neighbours' l, with weight v in [0, 1] on l. */
export const mix = (v: number, t: number, l: number): number => (1 - v) * t + v * l

/** The prediction of the cells, and the weights of a mixture. */
interface MixtureRule {
  /** Success by the cells alone, in [0, 1]. */
  readonly cells: number
  /** Outcomes that the cells count as beside the neighbours, > 0. */
  readonly localPull: number
  /** Weight of the neighbours' prediction, in [0, 1]. */
  readonly localShare: number
}

/** Predicted success, in [0, 1]. `local` is by neighbours with the cells as prior; `mixed` is the mixture. */
export const predictedSuccess = ({ cells, localPull, localShare }: MixtureRule, neighbours: Tally) => {
  const local = backOff(localPull, cells, neighbours)
  return { local, mixed: mix(localShare, cells, local) }
}

// Highest likelihood. With a higher one, a single surprise would move the weight to an end for good.
const likelihoodMax = 0.99

/** Likelihood of a graded outcome y in [0, 1] under prediction p. */
const likelihood = (p: number, y: number): number => {
  const inside = clamp(p, 1 - likelihoodMax, likelihoodMax)
  return inside ** y * (1 - inside) ** (1 - y)
}

/** An outcome, and the earlier predictions of it by cells and by neighbours; all in [0, 1]. */
interface PredictedOutcome {
  readonly cells: number
  readonly local: number
  readonly success: number
  /** Weight of the label, in [0, 1]. */
  readonly weight: number
}

/** The likelihoods of an outcome under both predictions, to the power of its label's weight; in (0, 1]. */
const likelihoods = ({ cells, local, success, weight }: PredictedOutcome) => ({
  local: likelihood(local, success) ** weight,
  cells: likelihood(cells, success) ** weight
})

/**
 * Weight of the neighbours' prediction after an outcome, in [share/2, 1 - share/2]: a Bayesian update by the
 * likelihoods. The weight then returns to one half by a fixed share, so that it follows a lane that changes.
 *
 * @param v weight before the outcome, in [0, 1]
 * @param share in [0, 1]
 * @see Herbster and Warmuth, Tracking the Best Expert (1998)
 */
export const hedge = (v: number, outcome: PredictedOutcome, share: number): number => {
  const likely = likelihoods(outcome)
  const local = v * likely.local
  const cells = (1 - v) * likely.cells
  return (1 - share) * (local / (local + cells)) + share * 0.5
}

/**
 * Takes back {@link hedge}: the weight before an outcome, in [0, 1], from the weight after it. The outcome
 * counts as the newest; if it is, the result is exact but for rounding.
 */
export const unhedge = (v: number, outcome: PredictedOutcome, share: number): number => {
  const after = clamp((v - share * 0.5) / (1 - share), 0, 1)
  const likely = likelihoods(outcome)
  const local = after * likely.cells
  const cells = (1 - after) * likely.local
  return local / (local + cells)
}
