/** Learns the ratio of a candidate's actual output or bills to the expected ones. */
import { usdOf } from "../../../domain/model/Cost.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import { clusterParts, type TaskInput, unitOfNumber } from "../../../domain/Task.ts"
import type { Neighbours } from "../../../memory/Neighbours.ts"
import { type LogRatios, ofKind } from "../../../stats/LearnedRatio.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Classified, Predicted } from "../candidates/Candidate.ts"
import { type CostQuery, estimate, type ListCostQuery, type ListCostRule, outputTokens } from "./ListCost.ts"

export type LearnedCostRule = ListCostRule & Pick<EngineSettings, "lengthRule" | "lengthSmoothingTokens">

/** Sums of a candidate's log(measured / expected), over all tasks and over tasks of the request's type. */
interface CandidateRatios {
  readonly all: LogRatios
  readonly ofKind: LogRatios
}

const unstated = (query: CostQuery): CostQuery =>
  ({ ...query, task: { ...query.task, expectedInputTokens: null, expectedOutputTokens: null } })

/** Returns log(measured / expected) for an outcome's tokens or bill; NaN if they were not measured. */
type LogRatioOf = (from: Neighbours, row: number) => number

type ExpectedIn = (parts: Pick<Classified, "difficulty" | "taskType">) => number

const expectedLogs = new Float64Array(clusterParts.length)

const perCluster = (expectedIn: ExpectedIn): (clusterNumber: number) => number => {
  expectedLogs.fill(NaN)
  return (clusterNumber) => {
    const known = expectedLogs[clusterNumber]!
    return Number.isNaN(known)
      ? expectedLogs[clusterNumber] = expectedIn(clusterParts[clusterNumber]!)
      : known
  }
}

/** Returns log((output + s) / (expected output + s)) of a call, with s = `lengthSmoothingTokens`. */
const outputRatio = (settings: LearnedCostRule, card: ModelCard, { task }: CostQuery): LogRatioOf => {
  const { lengthSmoothingTokens } = settings
  const expected = perCluster((parts) =>
    Math.log(outputTokens(settings, task, parts, card) + lengthSmoothingTokens))
  return (from, row) => {
    const tokens = from.measured(row, "outputTokens") + lengthSmoothingTokens
    return tokens > 0 ? Math.log(tokens) - expected(from.clusterNumber(row)) : NaN
  }
}

/** Bill of an outcome, USD; NaN if it has no bill, or if the bill is an outlier. */
const billOf = (from: Neighbours, row: number): number =>
  from.isCostOutlier(row) ? NaN : from.measured(row, "costUsd")

/** Log ratio of a run's bill to its expected cost at list prices. */
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

/** Log ratio of a call's bill to its tokens' list cost; NaN if the input tokens are unknown. */
const billRatio = (card: ModelCard): LogRatioOf => (from, row) => {
  const [input, output] = [from.inputTokens(row), from.measured(row, "outputTokens")]
  return input === null ? NaN : Math.log(billOf(from, row)) - Math.log(usdOf(card, { input, output }))
}

/** Names what a learned ratio multiplies: `cost` for runs or if the caller states output, else `output`. */
export const ratioKindOf = ({ expectedOutputTokens, unit }: TaskInput): "cost" | "output" =>
  unit === "run" || expectedOutputTokens !== null ? "cost" : "output"

const sums = new Float64Array(2)
const counts = new Uint32Array(2)

/** Sums log ratios of measured to expected cost or output over a candidate's outcomes, labelled or not. */
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
    // Clipping limits how much one token count or bill in a wrong unit changes the costs of all models.
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
 * Returns each candidate's factor on its output or cost ({@link ratioKindOf}), or null if no outcome gives a
 * ratio. A candidate without outcomes gets the factor that the other candidates share.
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
