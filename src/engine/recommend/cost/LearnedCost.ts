/** The learned ratio of a candidate's real output or bills to the expected ones. */
import { usdOf } from "../../../domain/model/Cost.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import { clusterParts, type TaskInput, unitOfNumber } from "../../../domain/Task.ts"
import type { Neighbours } from "../../../memory/Neighbours.ts"
import { type LogRatios, ofKind } from "../../../stats/LearnedRatio.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Classified, Predicted } from "../candidates/Candidate.ts"
import { type CostQuery, estimate, type ListCostQuery, type ListCostRule, outputTokens } from "./ListCost.ts"

/** Settings of list costs, and how fast outcomes move a cost. */
export type LearnedCostRule = ListCostRule & Pick<EngineSettings, "lengthRule" | "lengthSmoothingTokens">

/** Log ratios of a candidate over all tasks, and over tasks of the request's type. */
interface CandidateRatios {
  readonly all: LogRatios
  readonly ofKind: LogRatios
}

/** The request without its token counts. */
const unstated = (query: CostQuery): CostQuery =>
  ({ ...query, task: { ...query.task, expectedInputTokens: null, expectedOutputTokens: null } })

/** Log ratio of a measurement to its expectation, or NaN if the outcome did not measure it. */
type LogRatioOf = (from: Neighbours, row: number) => number

/** Log of the value that is expected for the tasks of a cluster. */
type ExpectedIn = (parts: Pick<Classified, "difficulty" | "taskType">) => number

/** Scratch space for the expectations of one candidate at a time, by cluster. */
const expectedLogs = new Float64Array(clusterParts.length)

/** Computes the expectation of each cluster once. */
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
 * Log ratio of a call's output to the expected output of its cluster. A few tokens are added to both, so
 * short answers hardly matter.
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

/** The bill of an outcome, USD, or NaN without a bill and for an outlier. */
const billOf = (from: Neighbours, row: number): number =>
  from.isCostOutlier(row) ? NaN : from.measured(row, "costUsd")

/**
 * Log ratio of a run's bill to its list cost. Tokens that the request states change the expected cost of runs
 * of every kind by the same factor.
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

/** Log ratio of a call's bill to the list cost of its reported tokens, or NaN without input tokens. */
const billRatio = (card: ModelCard): LogRatioOf => (from, row) => {
  const [input, output] = [from.inputTokens(row), from.measured(row, "outputTokens")]
  return input === null ? NaN : Math.log(billOf(from, row)) - Math.log(usdOf(card, { input, output }))
}

/** The part of a cost that the ratio multiplies: all of it for a run or a stated output, else the output. */
export const ratioKindOf = ({ expectedOutputTokens, unit }: TaskInput): "cost" | "output" =>
  unit === "run" || expectedOutputTokens !== null ? "cost" : "output"

/** Scratch space for the sums of one candidate's ratios: of all tasks, and of the request's type. */
const sums = new Float64Array(2)
const counts = new Uint32Array(2)

/** The ratios of one candidate's outcomes, also of those without a label, but without outliers. */
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
    // The limit keeps one count or bill in a wrong unit from changing the costs of all models.
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
 * The factor on each candidate's expected output or cost, or null without outcomes. A candidate without own
 * outcomes gets the factor that the other candidates share.
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
