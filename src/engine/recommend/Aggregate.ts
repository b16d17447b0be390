/** Stage 4: predicts each candidate's success from its prior, groups of outcomes, and recalled outcomes. */
import type { Effect } from "effect"
import * as Rounding from "../../domain/Rounding.ts"
import type { Recalled, Tallies } from "../../memory/Memory.ts"
import * as Beta from "../../stats/Beta.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import type { Tally } from "../../stats/NeighbourMixture.ts"
import * as Logit from "../../stats/Logit.ts"
import * as Mixture from "../../stats/NeighbourMixture.ts"
import * as Propensity from "../../stats/Propensity.ts"
import { pureStage } from "../../telemetry/Tracing.ts"
import { type EngineSettings, Settings } from "../Settings.ts"
import {
  type Candidate, noneWeighed, type Predicted, type WeighedNeighbours
} from "./candidates/Candidate.ts"
import { type BackOffRule, cell, type CellQuery } from "./prediction/BackOff.ts"
import { type EvidenceWeightRule, weigh } from "./prediction/EvidenceWeight.ts"
import { heaviestFirst, presentOf } from "./prediction/OwnNeighbours.ts"
import { atLearnedLevel, teachesOthers } from "./prediction/Prior.ts"

export interface PredictionEvidence extends CellQuery {
  readonly recalled: Recalled
  readonly numbers: LaneNumbers
}

type PredictionRule = BackOffRule & Pick<
  EngineSettings,
  "changeRule" | "localPull" | "optimismOutcomesMax" | "optimismPull" | "confidenceHalfSampleSize"
>
type AggregateRule =
  & PredictionRule
  & EvidenceWeightRule
  & Pick<EngineSettings, "levelRule">

const none: Tally = { weight: 0, success: 0 }
const noTallies: Tallies = { lane: none, taskType: none, cluster: none, tags: none }

const higherBySpread = (candidate: Candidate): Candidate =>
  ({ ...candidate, prior: Logit.sigmoid(Logit.logit(candidate.prior) + candidate.priorSpread) })

const predictOne = (
  settings: PredictionRule,
  candidate: Candidate,
  evidence: PredictionEvidence,
  own: WeighedNeighbours,
  { comesAgain, liftsPriors }: { readonly comesAgain: boolean; readonly liftsPriors: boolean }
): Predicted => {
  const { localShare } = evidence.numbers
  const tallies = evidence.recalled.tallies.get(candidate.card.modelId) ?? noTallies
  const { base, mean: cells, sampleSize: cellsSize } = cell(settings, candidate, tallies, evidence)
  const neighbours = presentOf(own, settings.changeRule)
  const { weight } = neighbours
  const { localPull } = settings
  const mixedWith = (cells: number) => Mixture.predictedSuccess({ cells, localPull, localShare }, neighbours)
  const { local, mixed: exact } = mixedWith(cells)
  const lifted = () => cell(settings, higherBySpread(candidate), tallies, evidence)
  // Predictions are rounded before the choice, so that decisions use the number that is printed and stored.
  const mixed = Rounding.probability(exact)
  const sampleSize = Mixture.mix(localShare, cellsSize, Math.min(localPull, cellsSize) + weight)
  const optimisticLocal = comesAgain && weight < settings.optimismOutcomesMax
    ? Mixture.backOff(settings.optimismPull, Math.max(cells, candidate.prior), neighbours)
    : local
  const { high, low } = Beta.interval95(Beta.ofMean(mixed, sampleSize))
  return {
    ...candidate,
    predictedSuccess: mixed,
    optimisticSuccess: Rounding.probability(
      mixed + localShare * Math.max(0, optimisticLocal - local)
    ),
    highPriorSuccess: liftsPriors ? Rounding.probability(mixedWith(lifted().mean).mixed) : mixed,
    sampleSize,
    successLow: low,
    successHigh: high,
    confidence: Rounding.probability(sampleSize / (sampleSize + settings.confidenceHalfSampleSize)),
    decisionBasis: weight > 0 || tallies.taskType.weight > 0 ? "memory" : "prior",
    forecast: { base, cells, local, mixed },
    laneWeight: tallies.lane.weight,
    cellWeight: tallies.taskType.weight,
    neighbours: own
  }
}

/** The predictions keep the order of the candidates. */
export const aggregateWith = (
  settings: AggregateRule,
  candidates: ReadonlyArray<Candidate>,
  evidence: PredictionEvidence
): ReadonlyArray<Predicted> => {
  const { neighbours, tallies } = evidence.recalled
  // On tasks that never repeat, optimistic predictions would make Sextant try every model.
  let comesAgain = false
  const weighed = candidates.map(({ card: { modelId } }) => {
    const own = neighbours.rowsOf(modelId)
    const share = Propensity.smoothedShare(own.to - own.from, neighbours.length, candidates.length)
    const weights = weigh(settings, neighbours, own, share)
    comesAgain ||= weights.some((weight) => weight > 0)
    return heaviestFirst(neighbours, own, weights)
  })
  const liftsPriors = teachesOthers(settings.levelRule, tallies)
  return atLearnedLevel(settings, candidates, tallies).map((candidate, i) =>
    predictOne(settings, candidate, evidence, weighed[i] ?? noneWeighed, { comesAgain, liftsPriors })
  )
}

const aggregating = pureStage("aggregate", Settings)

export const aggregate = (
  candidates: ReadonlyArray<Candidate>,
  evidence: PredictionEvidence
): Effect.Effect<ReadonlyArray<Predicted>, never, Settings> =>
  aggregating((settings) => aggregateWith(settings, candidates, evidence))
