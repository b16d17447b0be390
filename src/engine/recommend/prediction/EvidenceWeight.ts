/** The weight of each recalled outcome in a prediction. */
import type { Neighbours, RowRange } from "../../../memory/Neighbours.ts"
import { shieldWeights } from "../../../stats/Actors.ts"
import * as Propensity from "../../../stats/Propensity.ts"
import * as Weight from "../../../stats/WeightFactors.ts"
import type { EngineSettings } from "../../Settings.ts"

export type EvidenceWeightRule = Pick<
  EngineSettings,
  | "kernelScale" | "inversePropensityMin" | "inversePropensityMax" | "decayHalfLifeDays" | "decayFloor"
  | "staleShareMax"
>

/**
 * Computes the correction of each outcome: its inverse propensity, clipped and rescaled to a mean of 1. The
 * correction compensates for models that get different tasks. An outcome without a logged propensity gets the
 * model's smoothed share of all recalled outcomes. Returns null if no outcome has a logged propensity.
 */
const corrections = (
  settings: EvidenceWeightRule,
  all: Neighbours,
  { from, to }: RowRange,
  share: number
): ReadonlyArray<number> | null => {
  let isAnyRandom = false
  for (let row = from; row < to && !isAnyRandom; row++) isAnyRandom = !Number.isNaN(all.propensity(row))
  return isAnyRandom
    ? Propensity.normalizeToMeanOne(Array.from({ length: to - from }, (_, i) => {
      const propensity = all.propensity(from + i)
      return Propensity.inverseWeight(
        Number.isNaN(propensity) ? share : propensity,
        settings.inversePropensityMin,
        settings.inversePropensityMax
      )
    }))
    : null
}

/**
 * Computes each neighbour's weight, a product of factors for similarity, reliability, age, propensity, label
 * source and changes of its model. {@link shieldWeights} may lower the weights of other actors' outcomes.
 *
 * @param share the model's smoothed share of all recalled outcomes, in (0, 1]
 */
export const weigh = (
  settings: EvidenceWeightRule,
  all: Neighbours,
  own: RowRange,
  share: number
): Float64Array => {
  const correction = corrections(settings, all, own, share)
  const weights = new Float64Array(own.to - own.from)
  for (let i = 0; i < weights.length; i++) {
    const row = own.from + i
    const kernel = Weight.kernel(all.similarity(row), settings.kernelScale)
    if (kernel === 0) continue
    const decay = Weight.decay(all.ageDays(row), settings.decayHalfLifeDays, settings.decayFloor)
    const kept = (all.isStale(row) ? Math.min(decay, settings.staleShareMax) : decay) * all.currentShare(row)
    weights[i] = kernel * all.reliability(row) * kept * (correction === null ? 1 : correction[i]!)
      * all.provenanceWeight(row)
  }
  if (all.hasOtherActors(own)) shieldWeights(weights, (i) => all.actor(own.from + i))
  return weights
}
