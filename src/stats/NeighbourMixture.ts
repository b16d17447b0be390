/**
 * The predicted success of a model: a mixture of its neighbours (similar outcomes) and its cells (groups).
 */
import { clamp } from "./Clamp.ts"

/** Sums of outcomes: their total weight, and the weighted sum of successes, in [0, weight]. */
export interface Tally {
  readonly weight: number
  readonly success: number
}

/** Computes a tally's mean with a prior `mean` that weighs `strength` > 0 observations, in [0, 1]. */
export const backOff = (strength: number, mean: number, tally: Tally): number =>
  (strength * mean + tally.success) / (strength + tally.weight)

/** Mixes the cells' prediction t and the neighbours' prediction l, with weight v in [0, 1] on l. */
export const mix = (v: number, t: number, l: number): number => (1 - v) * t + v * l

interface MixtureRule {
  /** Success that the cells alone predict, in [0, 1]. */
  readonly cells: number
  /** Number of outcomes that the cells' prediction weighs against the neighbours, > 0. */
  readonly localPull: number
  /** Weight of the neighbours' prediction, in [0, 1]. */
  readonly localShare: number
}

/** Computes the success, in [0, 1], by neighbours with the cells as prior (`local`), and mixed with cells. */
export const predictedSuccess = ({ cells, localPull, localShare }: MixtureRule, neighbours: Tally) => {
  const local = backOff(localPull, cells, neighbours)
  return { local, mixed: mix(localShare, cells, local) }
}

// Predictions are clamped to 0.01 … 0.99, so that no surprise moves the weight to 0 or 1 for good.
const likelihoodMax = 0.99

const likelihood = (p: number, y: number): number => {
  const inside = clamp(p, 1 - likelihoodMax, likelihoodMax)
  return inside ** y * (1 - inside) ** (1 - y)
}

/** An outcome, and its earlier predictions by cells and by neighbours, all in [0, 1]. */
interface PredictedOutcome {
  readonly cells: number
  readonly local: number
  readonly success: number
  /** Weight of the label, in [0, 1]. */
  readonly weight: number
}

const likelihoods = ({ cells, local, success, weight }: PredictedOutcome) => ({
  local: likelihood(local, success) ** weight,
  cells: likelihood(cells, success) ** weight
})

/**
 * Computes the neighbours' weight after an outcome, in [share/2, 1 - share/2], by a Bayesian update. After
 * the update, the neighbours' weight moves toward one half by `share`, so that it can follow a lane that
 * changes.
 *
 * @see Herbster and Warmuth, Tracking the Best Expert (1998)
 */
export const hedge = (v: number, outcome: PredictedOutcome, share: number): number => {
  const likely = likelihoods(outcome)
  const local = v * likely.local
  const cells = (1 - v) * likely.cells
  return (1 - share) * (local / (local + cells)) + share * 0.5
}

/** Undoes {@link hedge} for the newest outcome, exactly except for rounding. */
export const unhedge = (v: number, outcome: PredictedOutcome, share: number): number => {
  const after = clamp((v - share * 0.5) / (1 - share), 0, 1)
  const likely = likelihoods(outcome)
  const local = after * likely.cells
  const cells = (1 - after) * likely.local
  return local / (local + cells)
}
