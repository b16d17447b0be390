/** How much more than expected a candidate writes, or is billed for a run, by what outcomes measured. */
import { usdOf } from "../../../domain/model/Cost.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import {
  clusterOfNumber, difficultyOf, type TaskInput, taskTypeOf, unitOfNumber
} from "../../../domain/Task.ts"
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

/** The request where it says no tokens. */
const unstated = (query: CostQuery): CostQuery =>
  ({ ...query, task: { ...query.task, expectedInputTokens: null, expectedOutputTokens: null } })

/** The request in a cluster where it says no tokens; null in those of another unit. */
const askedIn = (query: CostQuery, clusterNumber: number): CostQuery | null => {
  if (unitOfNumber(clusterNumber) !== query.task.unit) return null
  const cluster = clusterOfNumber(clusterNumber)
  const [taskType, difficulty] = [taskTypeOf(cluster), difficultyOf(cluster)]
  return {
    ...query,
    classified: { ...query.classified, cluster, taskType, difficulty },
    task: unstated(query).task
  }
}

/** What one outcome measured beside what was to be expected of it, log ratio; NaN where it says neither. */
type LogRatioOf = (from: Neighbours, row: number, clusterNumber: number, asked: CostQuery) => number

/** What is kept of each cluster while its outcomes are read. */
const perCluster = (
  make: (asked: CostQuery) => number
): (clusterNumber: number, asked: CostQuery) => number => {
  const kept = new Map<number, number>()
  return (clusterNumber, asked) => {
    const value = kept.get(clusterNumber) ?? make(asked)
    kept.set(clusterNumber, value)
    return value
  }
}

/**
 * Output of a call beside what its cluster lets expect. A few tokens on both sides keep the ratio of short
 * answers from mattering.
 */
const outputRatio = (settings: LearnedCostRule, card: ModelCard): LogRatioOf => {
  const { lengthSmoothingTokens } = settings
  const expected = perCluster(({ classified, task }) =>
    Math.log(outputTokens(settings, task, classified, card) + lengthSmoothingTokens))
  return (from, row, clusterNumber, asked) => {
    const tokens = from.measured(row, "outputTokens") + lengthSmoothingTokens
    return tokens > 0 ? Math.log(tokens) - expected(clusterNumber, asked) : NaN
  }
}

/** A bill that counts, USD; NaN without one. */
const billOf = (from: Neighbours, row: number): number =>
  from.isCostOutlier(row) ? NaN : from.measured(row, "costUsd")

/**
 * The bill of a run beside its list cost. Tokens that the request states are expected of the runs of its
 * kind, as the bills are of such runs, and of those of other kinds in proportion.
 */
const runRatio = (settings: LearnedCostRule, card: ModelCard, query: CostQuery): LogRatioOf => {
  const logUsd = (asked: CostQuery) => Math.log(estimate(settings, card, asked).costUsd)
  const { expectedInputTokens, expectedOutputTokens } = query.task
  const isStated = expectedInputTokens !== null || expectedOutputTokens !== null
  const stated = isStated
    ? logUsd(query) - logUsd(unstated(query))
    : 0
  const expected = perCluster(logUsd)
  return (from, row, clusterNumber, asked) => {
    const bill = billOf(from, row)
    return bill > 0 ? Math.log(bill) - expected(clusterNumber, asked) - stated : NaN
  }
}

/** The bill of a call beside the list cost of the tokens that it had: stated ones are taken at their word. */
const billRatio = (card: ModelCard): LogRatioOf => (from, row) => {
  const [input, output] = [from.inputTokens(row), from.measured(row, "outputTokens")]
  return input === null ? NaN : Math.log(billOf(from, row)) - Math.log(usdOf(card, { input, output }))
}

/** What a request's ratio multiplies: the whole cost of a run or of a stated output, else the output. */
export const ratioKindOf = ({ expectedOutputTokens, unit }: TaskInput): "cost" | "output" =>
  unit === "run" || expectedOutputTokens !== null ? "cost" : "output"

/** The ratios of one candidate's outcomes, with a label or without; doubtful bills are left out. */
const ratiosOf = (
  settings: LearnedCostRule,
  { card, neighbours }: Predicted,
  query: CostQuery,
  inCluster: (clusterNumber: number) => CostQuery | null
): CandidateRatios => {
  const { classified: { taskType }, measurements, task } = query
  const { ratioMost } = settings.lengthRule
  const logRatio = ratioKindOf(task) === "output"
    ? outputRatio(settings, card)
    : task.unit === "run" ? runRatio(settings, card, query) : billRatio(card)
  const all = { count: 0, sum: 0 }
  const ofKind = { count: 0, sum: 0 }
  const add = (from: Neighbours, row: number): void => {
    const clusterNumber = from.clusterNumber(row)
    const asked = inCluster(clusterNumber)
    if (asked === null) return
    const log = logRatio(from, row, clusterNumber, asked)
    if (!Number.isFinite(log)) return
    // One count or bill in another unit must not set what all models are expected to cost.
    const ratio = Math.min(ratioMost, Math.max(-ratioMost, log))
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
 * By how much each candidate's expected output, or a run's or stated call's expected cost, is to be
 * multiplied; null where no outcome says so. A candidate without outcomes is expected to differ from the list
 * as the others do.
 */
export const learnedRatios = (
  settings: LearnedCostRule,
  candidates: ReadonlyArray<Predicted>,
  query: CostQuery
): ReadonlyArray<number> | null => {
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
