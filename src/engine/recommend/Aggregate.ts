import { Effect } from "effect"
import type { Neighbour, Recalled, Tally } from "../../memory/Memory.ts"
import * as Beta from "../../stats/Beta.ts"
import * as Mixture from "../../stats/Mixture.ts"
import * as Propensity from "../../stats/Propensity.ts"
import * as Weight from "../../stats/Weight.ts"
import { type defaults, Settings } from "../Settings.ts"
import type { Candidate, Predicted, Weighted } from "./Candidate.ts"

const none: Tally = { weight: 0, success: 0 }

/**
 * Similarity at which the kernel starts and saturates: the lane's running means, at their start until
 * learned.
 */
const scaleOf = (settings: typeof defaults) =>
  Weight.kernelScale(settings.similarityLow, settings.similarityHigh)

/**
 * g_i: corrects which tasks a model was sent. Clipped inverse of the logged propensity where the pick was
 * random, else of the model's smoothed share; normalised to mean 1 inside the model, so that it shifts weight
 * between a model's own outcomes and never inflates its sample size.
 */
const corrections = (settings: typeof defaults, own: ReadonlyArray<Neighbour>, share: number) =>
  Propensity.normalizeToMeanOne(own.map((neighbour) =>
    Propensity.inverseWeight(
      neighbour.propensity ?? share,
      settings.inversePropensityMin,
      settings.inversePropensityMax
    )
  ))

/**
 * Evidence weight of one model's neighbours: kernel x reliability x decay x correction x provenance
 * (design section 5, step 1).
 *
 * @param share the model's smoothed share among all that was recalled, in (0, 1]
 */
export const weigh = (
  settings: typeof defaults,
  own: ReadonlyArray<Neighbour>,
  share: number
): ReadonlyArray<Weighted> => {
  const { a, b } = scaleOf(settings)
  const correction = corrections(settings, own, share)
  return own.map((neighbour, i) => {
    const decay = Weight.decay(neighbour.ageDays, settings.decayHalfLifeDays, settings.decayFloor)
    return {
      neighbour,
      weight: Weight.evidenceWeight({
        kernel: Weight.kernel(neighbour.similarity, a, b),
        reliability: neighbour.reliability,
        decay: neighbour.isStale ? Math.min(decay, settings.staleShareMax) : decay,
        inversePropensity: correction[i] ?? 1,
        provenance: neighbour.provenanceWeight
      })
    }
  })
}

/** The back-off cells G (lane), B (cluster), T (tags), with the sample size of the last. */
export const cell = (
  settings: typeof defaults,
  candidate: Candidate,
  tallies: { readonly lane: Tally; readonly cluster: Tally; readonly tags: Tally },
  hasTags: boolean
): { readonly mean: number; readonly sampleSize: number } => {
  const levels = [
    { pull: candidate.priorStrength, tally: tallies.lane },
    { pull: settings.clusterPull, tally: tallies.cluster },
    ...(hasTags ? [{ pull: settings.tagPull, tally: tallies.tags }] : [])
  ]
  // A level lends the next at most its pull, and never more than it is worth itself.
  return levels.reduce(
    ({ mean, sampleSize }, { pull, tally }) => ({
      mean: Mixture.backOff(pull, mean, tally),
      sampleSize: Math.min(sampleSize, pull) + tally.weight
    }),
    { mean: candidate.prior, sampleSize: candidate.priorStrength }
  )
}

/** One candidate's prediction from its cell and its own neighbours. */
const predictOne = (
  settings: typeof defaults,
  candidate: Candidate,
  recalled: Recalled,
  own: ReadonlyArray<Weighted>,
  hasTags: boolean
): Predicted => {
  const tallies = recalled.tallies.get(candidate.card.modelId) ?? { lane: none, cluster: none, tags: none }
  const anchor = cell(settings, candidate, tallies, hasTags)
  const weight = own.reduce((sum, each) => sum + each.weight, 0)
  const success = own.reduce((sum, each) => sum + each.weight * each.neighbour.quality, 0)
  const local = Mixture.localAverage(anchor.mean, settings.localPull, weight, success)
  const predictedSuccess = Mixture.mix(settings.localShare, anchor.mean, local)
  const sampleSize = Mixture.mix(
    settings.localShare,
    anchor.sampleSize,
    Math.min(settings.localPull, anchor.sampleSize) + weight
  )
  const { high, low } = Beta.interval95(Beta.ofMean(predictedSuccess, sampleSize))
  return {
    ...candidate,
    predictedSuccess,
    sampleSize,
    successLow: low,
    successHigh: high,
    confidence: sampleSize / (sampleSize + settings.confidenceHalfSampleSize),
    decisionBasis: weight > 0 || tallies.cluster.weight > 0 ? "memory" : "prior",
    neighbours: [...own].sort((x, y) =>
      y.weight - x.weight || y.neighbour.similarity - x.neighbour.similarity
    )
  }
}

/** Predicted success per candidate, in the order given. */
export const predict = (
  settings: typeof defaults,
  candidates: ReadonlyArray<Candidate>,
  recalled: Recalled,
  hasTags: boolean
): ReadonlyArray<Predicted> => {
  const byModel = Map.groupBy(recalled.neighbours, (neighbour) => neighbour.modelId)
  return candidates.map((candidate) => {
    const own = byModel.get(candidate.card.modelId) ?? []
    const share = Propensity.smoothedShare(own.length, recalled.neighbours.length, candidates.length)
    return predictOne(settings, candidate, recalled, weigh(settings, own, share), hasTags)
  })
}

/** {@link predict} as a stage. */
export const aggregate = Effect.fn("aggregate")(function*(
  candidates: ReadonlyArray<Candidate>,
  recalled: Recalled,
  hasTags: boolean
): Effect.fn.Return<ReadonlyArray<Predicted>, never, Settings> {
  return predict(yield* Settings, candidates, recalled, hasTags)
})
