/** How much more than expected a candidate writes, or is billed for a run, by what outcomes measured. */
import { clusterOfNumber, difficultyOf, taskTypeOf, unitOf } from "../../../domain/Task.ts"
import type { Neighbours } from "../../../memory/Neighbours.ts"
import type { MeasuredField } from "../../../memory/OutcomeColumns.ts"
import { type LogRatios, noRatios, ofKind } from "../../../stats/LearnedRatio.ts"
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

const plus = ({ count, sum }: LogRatios, ratio: number): LogRatios => ({ count: count + 1, sum: sum + ratio })

/**
 * What is expected of a candidate in a cluster where the request says nothing: output tokens of a call, USD
 * of a run. A few tokens on both sides keep the ratio of short answers from mattering.
 */
const logExpected = (
  settings: LearnedCostRule,
  { card }: Predicted,
  query: CostQuery,
  clusterNumber: number
): number => {
  const cluster = clusterOfNumber(clusterNumber)
  const [taskType, difficulty] = [taskTypeOf(cluster), difficultyOf(cluster)]
  const classified = { ...query.classified, cluster, taskType, difficulty }
  const task = { ...query.task, expectedInputTokens: null, expectedOutputTokens: null }
  return Math.log(task.unit === "run"
    ? estimate(settings, card, { ...query, classified, task }).costUsd
    : outputTokens(settings, task, classified, card) + settings.lengthSmoothingTokens)
}

/** The ratios of one candidate's outcomes, with a label or without; doubtful bills are left out. */
const ratiosOf = (settings: LearnedCostRule, candidate: Predicted, query: CostQuery): CandidateRatios => {
  const { classified: { taskType }, measurements, task: { unit } } = query
  const [field, smoothing]: readonly [MeasuredField, number] = unit === "run"
    ? ["costUsd", 0]
    : ["outputTokens", settings.lengthSmoothingTokens]
  const { ratioMost } = settings.lengthRule
  const expected = new Map<number, number>()
  let ratios: CandidateRatios = { all: noRatios, ofKind: noRatios }
  const add = (from: Neighbours, row: number): void => {
    const value = from.measured(row, field) + smoothing
    if (!(value > 0) || field === "costUsd" && from.isCostOutlier(row)) return
    const clusterNumber = from.clusterNumber(row)
    if (unitOf(clusterOfNumber(clusterNumber)) !== unit) return
    const log = expected.get(clusterNumber) ?? logExpected(settings, candidate, query, clusterNumber)
    expected.set(clusterNumber, log)
    if (!Number.isFinite(log)) return
    // One count or bill in another unit must not set what all models are expected to cost.
    const ratio = Math.min(ratioMost, Math.max(-ratioMost, Math.log(value) - log))
    const isOfKind = taskTypeOf(clusterOfNumber(clusterNumber)) === taskType
    ratios = { all: plus(ratios.all, ratio), ofKind: isOfKind ? plus(ratios.ofKind, ratio) : ratios.ofKind }
  }
  for (const row of candidate.neighbours.rows) add(candidate.neighbours.all, row)
  const { from, to } = measurements.rowsOf(candidate.card.modelId)
  for (let row = from; row < to; row++) add(measurements, row)
  return ratios
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
  const ratios = candidates.map((each) => ratiosOf(settings, each, query))
  if (ratios.every(({ all }) => all.count === 0)) return null
  return ofKind(ratios, settings.lengthRule).map(Math.exp)
}
