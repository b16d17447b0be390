/** A predicted success from neighbours and cells: tallies that start from a prior, and their mixture. */
import { clamp } from "./Clamp.ts"

/** Evidence so far: total weight, and the weighted sum of successes, in [0, weight]. */
export interface Tally {
  readonly weight: number
  readonly success: number
}

/**
 * Mean of a tally that starts from `mean`, worth `strength` > 0 observations: one level of a back-off. In [0,
 * 1].
 */
export const backOff = (strength: number, mean: number, tally: Tally): number =>
  (strength * mean + tally.success) / (strength + tally.weight)

/** The estimate between the cells' t and the neighbours' l, with weight v in [0, 1] on l. */
export const mix = (v: number, t: number, l: number): number => (1 - v) * t + v * l

/** What a prediction mixes beside its neighbours. */
interface MixtureRule {
  /** Success by the cells alone, in [0, 1]. */
  readonly cells: number
  /** Outcomes that the cells are worth beside the neighbours, count > 0. */
  readonly localPull: number
  /** Weight of the neighbours' estimate, in [0, 1]. */
  readonly localShare: number
}

/** Predicted success, in [0, 1]: `local` by the neighbours, which start from the cells, `mixed` by both. */
export const predictedSuccess = ({ cells, localPull, localShare }: MixtureRule, neighbours: Tally) => {
  const local = backOff(localPull, cells, neighbours)
  return { local, mixed: mix(localShare, cells, local) }
}

// Highest likelihood: beyond it one surprise would move the weight to an end for good.
const likelihoodMax = 0.99

/** Likelihood of a graded outcome y in [0, 1] under prediction p. */
const likelihood = (p: number, y: number): number => {
  const inside = clamp(p, 1 - likelihoodMax, likelihoodMax)
  return inside ** y * (1 - inside) ** (1 - y)
}

/** An outcome, and the prediction of each predictor made before it. All in [0, 1]. */
interface PredictedOutcome {
  readonly cells: number
  readonly local: number
  readonly success: number
  /** Weight of the label, in [0, 1]. */
  readonly weight: number
}

/** The likelihoods of an outcome under the two predictors, to the power of its label's weight; in (0, 1]. */
export const likelihoods = ({ cells, local, success, weight }: PredictedOutcome) => ({
  local: likelihood(local, success) ** weight,
  cells: likelihood(cells, success) ** weight
})

/**
 * Weight of the local predictor after an outcome, in [share/2, 1 - share/2]: Bayes by the likelihood of the
 * two, to the power of the label's weight, then a fixed share back to one half, so that the weight follows a
 * lane that changes.
 *
 * @param v weight before, in [0, 1]
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
 * The weight before {@link hedge}, from the weight after it and the same outcome; in [0, 1]. Exact but for
 * rounding for the newest outcome, and otherwise as if the outcome had been the newest.
 */
export const unhedge = (v: number, outcome: PredictedOutcome, share: number): number => {
  const after = clamp((v - share * 0.5) / (1 - share), 0, 1)
  const likely = likelihoods(outcome)
  const local = after * likely.cells
  const cells = (1 - after) * likely.local
  return local / (local + cells)
}
