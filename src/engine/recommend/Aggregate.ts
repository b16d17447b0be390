import { Effect } from "effect"
import type { Neighbour, Recalled, Tallies, Tally } from "../../memory/Memory.ts"
import { groupBy } from "../../stats/GroupBy.ts"
import * as Beta from "../../stats/Beta.ts"
import { presentEvidence } from "../../stats/ChangePoint.ts"
import { kernelScale, type LaneNumbers, structure } from "../../stats/LaneNumbers.ts"
import { learnedLevel } from "../../stats/Level.ts"
import * as Logit from "../../stats/Logit.ts"
import * as Mixture from "../../stats/Mixture.ts"
import * as Propensity from "../../stats/Propensity.ts"
import * as Weight from "../../stats/Weight.ts"
import { type defaults, Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"
import type { Candidate, Predicted, Weighted } from "./candidates/Candidate.ts"
import { conflictsWith } from "./prediction/Environment.ts"

/** What the prediction rests on besides the candidates themselves. */
export interface Evidence {
  readonly recalled: Recalled
  readonly numbers: LaneNumbers
  /** A guessed difficulty says next to nothing inside a task type, so only the caller's has a cell. */
  readonly isDifficultyGiven: boolean
  /** Of the request. */
  readonly tags: ReadonlyArray<string>
}

const none: Tally = { weight: 0, success: 0 }
const unknown: Tallies = { lane: none, taskType: none, cluster: none, tags: none }

/**
 * g_i: corrects which tasks a model was sent. Clipped inverse of the logged propensity where the pick was
 * random, else of the model's smoothed share; normalised to mean 1 inside the model, so that it shifts weight
 * between a model's own outcomes and never inflates its sample size.
 */
const corrections = (settings: typeof defaults, own: ReadonlyArray<Neighbour>, share: number) =>
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
 * environment (design section 5, step 1).
 *
 * @param share the model's smoothed share among all that was recalled, in (0, 1]
 * @param isConflict whether an outcome's tags conflict with the request's
 */
export const weigh = (
  settings: typeof defaults,
  { a, b }: Weight.KernelScale,
  own: ReadonlyArray<Neighbour>,
  share: number,
  isConflict: (tags: ReadonlyArray<string>) => boolean = conflictsWith([])
): ReadonlyArray<Weighted> => {
  const correction = corrections(settings, own, share)
  return own.map((neighbour, i) => {
    const decay = Weight.decay(neighbour.ageDays, settings.decayHalfLifeDays, settings.decayFloor)
    return {
      neighbour,
      weight: Weight.evidenceWeight({
        kernel: Weight.kernel(neighbour.similarity, a, b),
        reliability: neighbour.reliability,
        decay: (neighbour.isStale ? Math.min(decay, settings.staleShareMax) : decay)
          * neighbour.currentShare,
        inversePropensity: correction?.[i] ?? 1,
        provenance: neighbour.provenanceWeight,
        environment: isConflict(neighbour.tags) ? settings.conflictShare : 1
      })
    }
  })
}

/**
 * The back-off cells lane, task type, the caller's difficulty, tags: `base` without the tags, `mean` and the
 * sample size with them.
 */
export const cell = (
  settings: typeof defaults,
  candidate: Candidate,
  tallies: Tallies,
  { isDifficultyGiven, tags }: Pick<Evidence, "isDifficultyGiven" | "tags">
): { readonly base: number; readonly mean: number; readonly sampleSize: number } => {
  // A level lends the next at most its pull, and never more than it is worth itself.
  const below = (
    above: { readonly mean: number; readonly sampleSize: number }, pull: number, tally: Tally
  ) => ({
    mean: Mixture.backOff(pull, above.mean, tally),
    sampleSize: Math.min(above.sampleSize, pull) + tally.weight
  })
  const prior = { mean: candidate.prior, sampleSize: candidate.priorStrength }
  const lane = below(prior, candidate.priorStrength, tallies.lane)
  const taskType = below(lane, settings.clusterPull, tallies.taskType)
  const base = isDifficultyGiven ? below(taskType, settings.clusterPull, tallies.cluster) : taskType
  return { base: base.mean, ...(tags.length > 0 ? below(base, settings.tagPull, tallies.tags) : base) }
}

/**
 * How far this lane may hope near this task, in [0, 1]: as far as it has shown that kinds differ, and only
 * where tasks like this one come again (guide adaptive.md section 1).
 *
 * @param nearby weight of all recalled outcomes
 */
export const optimismGate = (settings: typeof defaults, numbers: LaneNumbers, nearby: number): number => {
  const shown = (structure(numbers) - settings.optimismStructureMin) / settings.optimismStructureSpan
  return Math.min(1, Math.max(0, shown)) * nearby / (nearby + settings.optimismNearbyHalf)
}

/** The candidates at the level that the lane's outcomes say (design section 5, step 3). */
const levelled = (
  settings: typeof defaults,
  candidates: ReadonlyArray<Candidate>,
  tallies: Recalled["tallies"]
): ReadonlyArray<Candidate> => {
  const level = learnedLevel(
    candidates.map(({ card, priorLogit, priorSpread }) => {
      const { success, weight } = tallies.get(card.modelId)?.lane ?? none
      return { logit: priorLogit, spread: priorSpread, weight, success }
    }),
    settings.levelRule
  )
  return level === 0 ? candidates : candidates.map((each) => ({
    ...each,
    prior: Logit.sigmoid(Logit.logit(each.prior) + level)
  }))
}

/** One candidate's prediction from its cell and its own neighbours. */
const predictOne = (
  settings: typeof defaults,
  candidate: Candidate,
  evidence: Evidence,
  own: ReadonlyArray<Weighted>,
  gate: number
): Predicted => {
  const { localShare } = evidence.numbers
  const tallies = evidence.recalled.tallies.get(candidate.card.modelId) ?? unknown
  const { base, mean: cells, sampleSize: cellsSize } = cell(settings, candidate, tallies, evidence)
  const { success, weight } = presentEvidence(
    own
      .filter((each) => each.weight > 0)
      .sort((x, y) =>
        x.neighbour.ageDays - y.neighbour.ageDays || (x.neighbour.entryId < y.neighbour.entryId ? -1 : 1))
      .map((each) => ({ weight: each.weight, success: each.weight * each.neighbour.quality })),
    settings.changeRule
  )
  const local = Mixture.localAverage(cells, settings.localPull, weight, success)
  const mixed = Mixture.mix(localShare, cells, local)
  const sampleSize = Mixture.mix(localShare, cellsSize, Math.min(settings.localPull, cellsSize) + weight)
  const optimismBonus = weight < settings.optimismOutcomesMax
    ? Mixture.localAverage(Math.max(cells, candidate.prior), settings.optimismPull, weight, success)
    : local
  const { high, low } = Beta.interval95(Beta.ofMean(mixed, sampleSize))
  return {
    ...candidate,
    predictedSuccess: mixed,
    optimisticSuccess: mixed + localShare * gate * Math.max(0, optimismBonus - local),
    sampleSize,
    successLow: low,
    successHigh: high,
    confidence: sampleSize / (sampleSize + settings.confidenceHalfSampleSize),
    decisionBasis: weight > 0 || tallies.taskType.weight > 0 ? "memory" : "prior",
    forecast: { base, cells, local, mixed },
    laneWeight: tallies.lane.weight,
    neighbours: own.toSorted((x, y) =>
      y.weight - x.weight || y.neighbour.similarity - x.neighbour.similarity
    )
  }
}

/** Predicted success per candidate, in the order given. */
export const predict = (
  settings: typeof defaults,
  candidates: ReadonlyArray<Candidate>,
  evidence: Evidence
): ReadonlyArray<Predicted> => {
  const { numbers, recalled: { neighbours } } = evidence
  const scale = kernelScale(numbers)
  const byModel = groupBy(neighbours, (neighbour) => neighbour.modelId)
  const isConflict = conflictsWith(evidence.tags)
  const weighed = candidates.map(({ card: { modelId } }) => {
    const own = byModel.get(modelId) ?? []
    const share = Propensity.smoothedShare(own.length, neighbours.length, candidates.length)
    return weigh(settings, scale, own, share, isConflict)
  })
  const nearby = weighed.reduce((sum, own) => own.reduce((more, each) => more + each.weight, sum), 0)
  const gate = optimismGate(settings, numbers, nearby)
  return levelled(settings, candidates, evidence.recalled.tallies).map((candidate, i) =>
    predictOne(settings, candidate, evidence, weighed[i] ?? [], gate)
  )
}

/** {@link predict} as a stage. */
export const aggregate = Effect.fnUntraced(function*(
  candidates: ReadonlyArray<Candidate>,
  evidence: Evidence
): Effect.fn.Return<ReadonlyArray<Predicted>, never, Settings> {
  return predict(yield* Settings, candidates, evidence)
}, stage("aggregate"))
