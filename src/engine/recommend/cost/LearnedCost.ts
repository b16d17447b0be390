/** How much more than expected a candidate writes, or is billed for a run, by what outcomes measured. */
import type { ModelCard } from "../../../domain/model/Model.ts"
import { clusterOfNumber, difficultyOf, taskTypeOf, unitOfNumber } from "../../../domain/Task.ts"
import type { Neighbours } from "../../../memory/Neighbours.ts"
import { type LogRatios, ofKind } from "../../../stats/LearnedRatio.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Predicted } from "../candidates/Candidate.ts"
import { type CostQuery, estimate, type ListCostRule, outputTokens } from "./ListCost.ts"

/** How costs are estimated, and how fast outcomes move them. */
export type LearnedCostRule = ListCostRule & Pick<EngineSettings, "lengthRule" | "lengthSmoothingTokens">

/** Log ratios of a candidate, over tasks of all types and of the request's. */
interface CandidateRatios {
  readonly all: LogRatios
  readonly ofKind: LogRatios
}

/** The request in a cluster where it says no tokens; null in those of another unit. */
const askedIn = (query: CostQuery, clusterNumber: number): CostQuery | null => {
  if (unitOfNumber(clusterNumber) !== query.task.unit) return null
  const cluster = clusterOfNumber(clusterNumber)
  const [taskType, difficulty] = [taskTypeOf(cluster), difficultyOf(cluster)]
  return {
    ...query,
    classified: { ...query.classified, cluster, taskType, difficulty },
    task: { ...query.task, expectedInputTokens: null, expectedOutputTokens: null }
  }
}

/**
 * What is expected of a model: output tokens of a call, USD of a run. A few tokens on both sides keep the
 * ratio of short answers from mattering.
 */
const logExpected = (settings: LearnedCostRule, card: ModelCard, query: CostQuery): number =>
  Math.log(query.task.unit === "run"
    ? estimate(settings, card, query).costUsd
    : outputTokens(settings, query.task, query.classified, card) + settings.lengthSmoothingTokens)

/** The ratios of one candidate's outcomes, with a label or without; doubtful bills are left out. */
const ratiosOf = (
  settings: LearnedCostRule,
  { card, neighbours }: Predicted,
  { classified: { taskType }, measurements, task: { unit } }: CostQuery,
  inCluster: (clusterNumber: number) => CostQuery | null
): CandidateRatios => {
  const isRun = unit === "run"
  const field = isRun ? "costUsd" : "outputTokens"
  const smoothing = isRun ? 0 : settings.lengthSmoothingTokens
  const { ratioMost } = settings.lengthRule
  const expected = new Map<number, number>()
  const all = { count: 0, sum: 0 }
  const ofKind = { count: 0, sum: 0 }
  const add = (from: Neighbours, row: number): void => {
    const value = from.measured(row, field) + smoothing
    if (!(value > 0) || isRun && from.isCostOutlier(row)) return
    const clusterNumber = from.clusterNumber(row)
    const asked = inCluster(clusterNumber)
    if (asked === null) return
    const log = expected.get(clusterNumber) ?? logExpected(settings, card, asked)
    expected.set(clusterNumber, log)
    if (!Number.isFinite(log)) return
    // One count or bill in another unit must not set what all models are expected to cost.
    const ratio = Math.min(ratioMost, Math.max(-ratioMost, Math.log(value) - log))
    all.count++
    all.sum += ratio
    if (asked.classified.taskType !== taskType) return
    ofKind.count++
    ofKind.sum += ratio
  }
  for (const row of neighbours.rows) add(neighbours.all, row)
  const { from, to } = measurements.rowsOf(card.modelId)
  for (let row = from; row < to; row++) add(measurements, row)
  return { all, ofKind }
}

/**
 * By how much each candidate's expected output, or a run's expected cost, is to be multiplied; null where
 * no outcome says so, and where the request gives the output. A candidate without outcomes is expected to
 * differ from the list as the others do.
 */
export const learnedRatios = (
  settings: LearnedCostRule,
  candidates: ReadonlyArray<Predicted>,
  query: CostQuery
): ReadonlyArray<number> | null => {
  if (query.task.expectedOutputTokens !== null) return null
  const clusters = new Map<number, CostQuery | null>()
  const inCluster = (clusterNumber: number): CostQuery | null => {
    const known = clusters.get(clusterNumber)
    if (known !== undefined) return known
    const asked = askedIn(query, clusterNumber)
    clusters.set(clusterNumber, asked)
    return asked
  }
  const ratios = candidates.map((each) => ratiosOf(settings, each, query, inCluster))
  if (ratios.every(({ all }) => all.count === 0)) return null
  return ofKind(ratios, settings.lengthRule).map(Math.exp)
}
