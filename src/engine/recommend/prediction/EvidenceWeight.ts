/** What each recalled outcome weighs in a prediction. */
import type { Neighbour } from "../../../memory/Memory.ts"
import { shieldedWeights } from "../../../stats/Actors.ts"
import * as Propensity from "../../../stats/Propensity.ts"
import * as Weight from "../../../stats/Weight.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Weighted } from "../candidates/Candidate.ts"
import { conflictsWith } from "./Environment.ts"

/** Clip of the correction, decay, and the shares of stale and conflicting outcomes. */
export type EvidenceWeightRule = Pick<
  EngineSettings,
  | "inversePropensityMin" | "inversePropensityMax" | "decayHalfLifeDays" | "decayFloor" | "staleShareMax"
  | "conflictShare"
>

/**
 * g_i: corrects which tasks a model was sent. Clipped inverse of the logged propensity where the pick was
 * random, else of the model's smoothed share; normalised to mean 1 inside the model, so that it shifts weight
 * between a model's own outcomes and never inflates its sample size.
 */
const corrections = (
  settings: EvidenceWeightRule,
  own: ReadonlyArray<Neighbour>,
  share: number
): ReadonlyArray<number> | null =>
  // One share for all is no correction, once it is normalised.
  own.every(({ propensity }) => propensity === null)
    ? null
    : Propensity.normalizeToMeanOne(own.map((neighbour) =>
      Propensity.inverseWeight(
        neighbour.propensity ?? share,
        settings.inversePropensityMin,
        settings.inversePropensityMax
      )
    ))

/**
 * Evidence weight of one model's neighbours: kernel x reliability x decay x correction x provenance x
 * environment, and less where one other actor has most of it.
 *
 * @param share the model's smoothed share among all that was recalled, in (0, 1]
 * @param isConflict whether an outcome's tags conflict with the request's
 */
export const weigh = (
  settings: EvidenceWeightRule,
  { a, b }: Weight.KernelScale,
  own: ReadonlyArray<Neighbour>,
  share: number,
  isConflict: (tags: ReadonlyArray<string>) => boolean = conflictsWith([])
): ReadonlyArray<Weighted> => {
  const correction = corrections(settings, own, share)
  const weights = own.map((neighbour, i) => {
    const decay = Weight.decay(neighbour.ageDays, settings.decayHalfLifeDays, settings.decayFloor)
    return Weight.evidenceWeight({
      kernel: Weight.kernel(neighbour.similarity, a, b),
      reliability: neighbour.reliability,
      decay: (neighbour.isStale ? Math.min(decay, settings.staleShareMax) : decay)
        * neighbour.currentShare,
      inversePropensity: correction?.[i] ?? 1,
      provenance: neighbour.provenanceWeight,
      environment: isConflict(neighbour.tags) ? settings.conflictShare : 1
    })
  })
  const shielded = shieldedWeights(weights, own.map(({ actor }) => actor))
  return own.map((neighbour, i) => ({ neighbour, weight: shielded[i] ?? 0 }))
}
