/** How much more than expected a candidate writes, or is billed for a run, by what outcomes measured. */
import { usdOf } from "../../../domain/model/Cost.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import { clusterParts, type TaskInput, unitOfNumber } from "../../../domain/Task.ts"
import type { Neighbours } from "../../../memory/Neighbours.ts"
import { type LogRatios, ofKind } from "../../../stats/LearnedRatio.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Classified, Predicted } from "../candidates/Candidate.ts"
import { type CostQuery, estimate, type ListCostQuery, type ListCostRule, outputTokens } from "./ListCost.ts"

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

/** What one outcome measured beside what was to be expected of it, log ratio; NaN where it says neither. */
type LogRatioOf = (from: Neighbours, row: number) => number

/** What is expected of the tasks of a cluster, log. */
type ExpectedIn = (parts: Pick<Classified, "difficulty" | "taskType">) => number

/** Room for what one candidate is expected to do in each cluster: its ratios end before another's begin. */
const expectedLogs = new Float64Array(clusterParts.length)

/** Computes what is expected in each cluster once. */
const perCluster = (expectedIn: ExpectedIn): (clusterNumber: number) => number => {
  expectedLogs.fill(NaN)
  return (clusterNumber) => {
    const known = expectedLogs[clusterNumber]!
    return Number.isNaN(known)
      ? expectedLogs[clusterNumber] = expectedIn(clusterParts[clusterNumber]!)
      : known
  }
}

/**
 * Output of a call beside what its cluster lets expect. A few tokens on both sides keep the ratio of short
 * answers from mattering.
 */
const outputRatio = (settings: LearnedCostRule, card: ModelCard, { task }: CostQuery): LogRatioOf => {
  const { lengthSmoothingTokens } = settings
  const expected = perCluster((parts) =>
    Math.log(outputTokens(settings, task, parts, card) + lengthSmoothingTokens))
  return (from, row) => {
    const tokens = from.measured(row, "outputTokens") + lengthSmoothingTokens
    return tokens > 0 ? Math.log(tokens) - expected(from.clusterNumber(row)) : NaN
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
  const logUsd = (asked: ListCostQuery) => Math.log(estimate(settings, card, asked).costUsd)
  const { expectedInputTokens, expectedOutputTokens } = query.task
  const isStated = expectedInputTokens !== null || expectedOutputTokens !== null
  const bare = unstated(query)
  const stated = isStated ? logUsd(query) - logUsd(bare) : 0
  const expected = perCluster((classified) => logUsd({ ...bare, classified }))
  return (from, row) => {
    const bill = billOf(from, row)
    return bill > 0 ? Math.log(bill) - expected(from.clusterNumber(row)) - stated : NaN
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

/** Room for the sums of one candidate's ratios: of all tasks, and of the request's type. */
const sums = new Float64Array(2)
const counts = new Uint32Array(2)

/** The ratios of one candidate's outcomes, with a label or without; doubtful bills are left out. */
const ratiosOf = (
  settings: LearnedCostRule,
  { card, neighbours }: Predicted,
  query: CostQuery
): CandidateRatios => {
  const { classified: { taskType }, measurements, task } = query
  const { ratioMost } = settings.lengthRule
  const logRatio = ratioKindOf(task) === "output"
    ? outputRatio(settings, card, query)
    : task.unit === "run" ? runRatio(settings, card, query) : billRatio(card)
  sums.fill(0)
  counts.fill(0)
  const add = (from: Neighbours, row: number): void => {
    const clusterNumber = from.clusterNumber(row)
    if (unitOfNumber(clusterNumber) !== task.unit) return
    const log = logRatio(from, row)
    if (!Number.isFinite(log)) return
    // One count or bill in another unit must not set what all models are expected to cost.
    const ratio = Math.min(ratioMost, Math.max(-ratioMost, log))
    sums[0]! += ratio
    counts[0]!++
    if (clusterParts[clusterNumber]?.taskType !== taskType) return
    sums[1]! += ratio
    counts[1]!++
  }
  for (const row of neighbours.rows) add(neighbours.all, row)
  const { from, to } = measurements.rowsOf(card.modelId)
  for (let row = from; row < to; row++) add(measurements, row)
  return { all: { count: counts[0]!, sum: sums[0]! }, ofKind: { count: counts[1]!, sum: sums[1]! } }
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
  const ratios = candidates.map((each) => ratiosOf(settings, each, query))
  if (ratios.every(({ all }) => all.count === 0)) return null
  return ofKind(ratios, settings.lengthRule).map(Math.exp)
}
