/** The weight of each recalled outcome in a prediction. */
import type { Neighbours, RowRange } from "../../../memory/Neighbours.ts"
import { shieldWeights } from "../../../stats/Actors.ts"
import * as Propensity from "../../../stats/Propensity.ts"
import * as Weight from "../../../stats/WeightFactors.ts"
import type { EngineSettings } from "../../Settings.ts"

/** Kernel, clip of the correction, decay, and the share of stale outcomes. */
export type EvidenceWeightRule = Pick<
  EngineSettings,
  | "kernelScale" | "inversePropensityMin" | "inversePropensityMax" | "decayHalfLifeDays" | "decayFloor"
  | "staleShareMax"
>

/**
 * g_i: corrects for the tasks that a model was sent, if picks were drawn; in an account that never draws it
 * corrects nothing. It is the clipped inverse of the logged propensity for a drawn pick, else of the model's
 * smoothed share. It is normalised to mean 1 within the model, so that it moves weight between a model's own
 * outcomes and never raises its sample size. Null if all outcomes have one share, because that corrects
 * nothing.
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
 * Evidence weight of each of one model's neighbours: kernel x reliability x decay x correction x provenance,
 * reduced if one other actor has most of it. Most neighbours lie outside the kernel; nothing more is read of
 * them.
 *
 * @param own the rows of the model
 * @param share the model's smoothed share among all that was recalled, in (0, 1]
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
