/* The reference of the figures that the dashboard shows beside the reports. */
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { isTrusted, type Provenance } from "../../../src/domain/feedback/Feedback.ts"
import { isBroken, isVerdict } from "../../../src/domain/feedback/FeedbackPrecedence.ts"
import { checkedSources } from "../../../src/domain/reports/JudgeWorth.ts"
import type { BaselineSums, CallSums, CellSums, OverviewSums, SpendSums } from "../../../src/reports/Aggregates.ts"
import { sum } from "../../../src/reports/savings/Followed.ts"
import { reportSettings } from "../../../src/reports/ReportSettings.ts"
import type { PairSums, RestSums } from "../../../src/stats/PredictionPowered.ts"
import type { JudgeCell, VerdictCell } from "../../../src/reports/VerdictSums.ts"
import { decisionsMax, type Overview, overviewOf } from "../../../src/reports/Overview.ts"
import type { ReferenceRow, Verdict } from "./LedgerRows.ts"
import { chosenCandidate, isReconciled, successOf } from "./Reconciled.ts"
import { outliersIn, savingsFigures } from "./Savings.ts"
import { shadowSums } from "./Shadow.ts"

type Mutable<Sums> = { -readonly [K in keyof Sums]: Sums[K] }
/** The sums of one cell of the table, while they are added up. */
type MutableCellSums = Mutable<CellSums>

const cellsOf = (
  rows: ReadonlyArray<LedgerRow>,
  outliers: ReadonlySet<LedgerRow>
): ReadonlyArray<CellSums> => {
  const clusters = new Map<string, Map<string, MutableCellSums>>()
  const cellOf = (cluster: string, modelId: string): MutableCellSums => {
    const models = clusters.get(cluster) ?? new Map<string, MutableCellSums>()
    if (models.size === 0) clusters.set(cluster, models)
    const found = models.get(modelId)
    if (found !== undefined) return found
    const cell: MutableCellSums = {
      cluster, modelId, nRecommended: 0, nOutcomes: 0, successes: 0, nPredicted: 0, predicted: 0, nBilled: 0,
      billedUsd: 0, nOutliers: 0, outliersUsd: 0
    }
    models.set(modelId, cell)
    return cell
  }
  for (const row of rows) {
    const { cluster, recommendedModelId } = row.decision
    cellOf(cluster, recommendedModelId).nRecommended += 1
    if (!isReconciled(row)) continue
    const { actualCostUsd, chosenModelId, outcome, teaches } = row.feedback
    const cell = cellOf(cluster, chosenModelId)
    if (actualCostUsd !== null) {
      cell.nBilled += 1
      cell.billedUsd += actualCostUsd
      if (outliers.has(row)) {
        cell.nOutliers += 1
        cell.outliersUsd += actualCostUsd
      }
    }
    if (!teaches) continue
    cell.nOutcomes += 1
    cell.successes += successOf(outcome)
    const candidate = chosenCandidate(row)
    if (candidate === undefined) continue
    cell.nPredicted += 1
    cell.predicted += candidate.predictedSuccess
  }
  return [...clusters.values()].flatMap((models) => [...models.values()])
}

/** Decisions by lane and by the source of their label. */
const verdictsOf = (rows: ReadonlyArray<LedgerRow>): ReadonlyArray<VerdictCell> => {
  const keyed = Map.groupBy(rows, ({ decision, feedback }) =>
    JSON.stringify([decision.lane, feedback === null ? null : feedback.teaches ? feedback.provenance : "none"]))
  return [...keyed].map(([key, own]): VerdictCell => {
    const [lane, source] = JSON.parse(key)
    return { lane, source, n: own.length }
  }).sort((one, other) => {
    const [first, second] = [one, other].map(({ lane, source }) => [lane, source ?? "~"].join(" "))
    return (first ?? "") < (second ?? "") ? -1 : 1
  })
}

/** What other sources said where a gate or a person checked it, both as success in [0, 1]. */
export const checkedOf = (outcomes: ReadonlyArray<Verdict>) =>
  outcomes.flatMap(({ label, said = {} }) => {
    if (!label.teaches || !isTrusted(label.provenance)) return []
    return (Object.entries(said) as ReadonlyArray<[Provenance, number]>).map(([source, each]) =>
      ({ source, said: each, success: successOf(label.outcome) }))
  })

/** Adds a call that was judged and checked; the verdict and the truth are in [0, 1]. */
export const addPair = (sums: Mutable<PairSums>, said: number, success: number): void => {
  sums.n += 1
  sums.y += success
  sums.f += said
  sums.yy += success * success
  sums.ff += said * said
  sums.yf += success * said
}

/** Adds a call that was judged alone. */
export const addRest = (sums: Mutable<RestSums>, said: number): void => {
  sums.n += 1
  sums.f += said
  sums.ff += said * said
}

type MutableJudgeCell = Mutable<JudgeCell> & { rest: Mutable<RestSums> }

/** Verdicts that are not trusted by themselves, beside those of gates and people on the same calls. */
const judgeCells = (rows: ReadonlyArray<ReferenceRow>): ReadonlyArray<JudgeCell> => {
  const cells = new Map<string, MutableJudgeCell>()
  const cellOf = (source: JudgeCell["source"], taskType: string): MutableJudgeCell => {
    const key = `${source} ${taskType}`
    const found = cells.get(key) ?? {
      source, taskType, n: 0, y: 0, f: 0, yy: 0, ff: 0, yf: 0, wrong: 0, passedWrong: 0, right: 0, failedRight: 0,
      rest: { n: 0, f: 0, ff: 0 }
    }
    cells.set(key, found)
    return found
  }
  for (const { decision: { taskType }, feedback, outcomes = feedback === null ? [] : [{ label: feedback }] } of rows) {
    for (const source of checkedSources) {
      for (const { label } of outcomes) {
        if (!isVerdict(label) || label.provenance !== source) continue
        addRest(cellOf(source, taskType).rest, successOf(label.outcome))
      }
      for (const { said: f, success: y } of checkedOf(outcomes).filter((each) => each.source === source)) {
        const cell = cellOf(source, taskType)
        addPair(cell, f, y)
        cell.wrong += y === 0 ? 1 : 0
        cell.passedWrong += y === 0 && f === 1 ? 1 : 0
        cell.right += y === 1 ? 1 : 0
        cell.failedRight += y === 1 && f === 0 ? 1 : 0
      }
    }
  }
  return [...cells].sort(([one], [other]) => one < other ? -1 : 1).map(([, cell]) => cell)
}

const byModel = (one: { readonly modelId: string }, other: { readonly modelId: string }) =>
  one.modelId < other.modelId ? -1 : 1

const spendOf = (rows: ReadonlyArray<LedgerRow>): ReadonlyArray<SpendSums> => {
  const costed = rows.filter(isReconciled).filter(({ decision, feedback }) =>
    !decision.isShadow && (feedback.actualCostUsd ?? feedback.computedCostUsd) !== null)
  const keyed = Map.groupBy(costed, ({ decision, feedback }) =>
    JSON.stringify([decision.createdAt.toISOString().slice(0, 10), feedback.chosenModelId]))
  return [...keyed].map(([key, own]): SpendSums => {
    const [day, modelId] = JSON.parse(key)
    return {
      day, modelId, n: own.length, billedUsd: sum(own, ({ feedback }) => feedback.actualCostUsd ?? 0),
      listedUsd: sum(own, ({ feedback }) => feedback.actualCostUsd === null ? feedback.computedCostUsd ?? 0 : 0)
    }
  }).sort((one, other) => one.day === other.day ? byModel(one, other) : one.day < other.day ? -1 : 1)
}

const baselinesOf = (rows: ReadonlyArray<LedgerRow>): ReadonlyArray<BaselineSums> =>
  [...Map.groupBy(rows.filter(({ decision }) =>
    !decision.isShadow && decision.costDeclaredUsd !== null), ({ decision }) => decision.baselineModelId)]
    .flatMap(([modelId, own]) => modelId === null ? [] : [{ modelId, n: own.length }])
    .sort((one, other) => other.n - one.n || byModel(one, other)).slice(0, reportSettings.baselinesMax)

/** The value at a share of sorted values, between neighbours; null of none. */
const percentileOf = (values: ReadonlyArray<number>, share: number): number | null => {
  const sorted = values.toSorted((one, other) => one - other)
  const at = share * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  return low === undefined || high === undefined ? null : low + (at - Math.floor(at)) * (high - low)
}

const callsOf = (rows: ReadonlyArray<LedgerRow>): ReadonlyArray<CallSums> =>
  [...Map.groupBy(rows.filter(isReconciled).slice(-reportSettings.timedCallsMax), ({ feedback }) => feedback.chosenModelId)]
    .map(([modelId, own]): CallSums => {
      const timed = own.flatMap(({ feedback: { latencyMs } }) => latencyMs === null ? [] : [latencyMs])
      return {
        modelId, n: own.length, nBroken: own.filter(({ feedback }) => isBroken(feedback)).length,
        latencyMsP50: percentileOf(timed, 0.5), latencyMsP95: percentileOf(timed, 0.95)
      }
    }).sort((one, other) => other.n - one.n || byModel(one, other)).slice(0, reportSettings.timedModelsMax)

/** The days that an overview of rows is of. */
export const referenceWindow = { since: new Date("2026-11-01T00:00:00Z"), days: 30 }

/** The sums behind {@link overviewOf}; `isOwn` and `all` are as in {@link savingsFigures}. */
export const overviewSums = (
  all: ReadonlyArray<ReferenceRow>,
  newest = decisionsMax,
  isOwn: (row: ReferenceRow) => boolean = () => true
): OverviewSums => {
  const rows = all.filter(isOwn)
  const outliers = outliersIn(all)
  return {
    days: savingsFigures(all, "day", isOwn),
    cells: cellsOf(rows, outliers),
    shadow: shadowSums(all, outliers, isOwn),
    verdicts: verdictsOf(rows),
    judges: judgeCells(rows),
    spend: spendOf(rows),
    baselines: baselinesOf(rows),
    calls: callsOf(rows),
    newest: rows.slice(-newest).reverse().map(({ decision, feedback }) => ({ decision, feedback }))
  }
}

/**
 * The figures that the dashboard shows beside the reports: savings by UTC day of the decision, so that late
 * feedback counts on its decision's day; the outcomes of each model where it ran, at most 200 pairs of
 * cluster and model; the newest 50 decisions; and what those in shadow say.
 *
 * @param rows oldest first, as the ledger gives them
 */
export const overview = (
  rows: ReadonlyArray<ReferenceRow>
): Overview =>
  overviewOf(overviewSums(rows), referenceWindow)
