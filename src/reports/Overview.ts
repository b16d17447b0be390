/* The figures that the dashboard shows beside the reports. */
import { Order } from "effect"
import { namedOf } from "../domain/Arm.ts"
import type { ClusterModel, DashboardResponse } from "../domain/Dashboard.ts"
import type { LedgerRow } from "../domain/Decision.ts"
import type { Lane } from "../domain/Scope.ts"
import * as Wilson from "../stats/Wilson.ts"
import type { CellSums, OverviewSums } from "./Aggregates.ts"
import { recentDecision } from "./RecentDecision.ts"
import { chosenCandidate, isReconciled, successOf } from "./Reconciled.ts"
import { outliersIn, savingsByDayOf, savingsFigures } from "./Savings.ts"
import { shadowOf, shadowSums } from "./Shadow.ts"

/**
 * Most rows of the table, count. Callers name models, so the table could otherwise be as long as the ledger.
 */
const clusterModelsMax = 200
export const decisionsMax = 50

/** The sums of one cell of the table, while they are added up. */
type MutableCellSums = { -readonly [K in keyof CellSums]: CellSums[K] }

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

const meanOf = (sum: number, n: number): number | null => n === 0 ? null : sum / n

const clusterModel = (cell: CellSums): ClusterModel => {
  const { cluster, modelId, nBilled, nOutcomes, nOutliers, nRecommended } = cell
  const successRate = meanOf(cell.successes, nOutcomes)
  const interval = successRate === null ? null : Wilson.interval95(successRate, nOutcomes)
  return {
    cluster,
    ...namedOf(modelId),
    nRecommended,
    nOutcomes,
    successRate,
    successLow: interval?.low ?? null,
    successHigh: interval?.high ?? null,
    predictedSuccess: meanOf(cell.predicted, cell.nPredicted),
    nBilled,
    meanCostUsd: meanOf(cell.billedUsd, nBilled),
    nCostOutliers: nOutliers,
    meanCostWithoutOutliersUsd: meanOf(Math.max(0, cell.billedUsd - cell.outliersUsd), nBilled - nOutliers)
  }
}

const weightOf = ({ nOutcomes, nRecommended }: CellSums): number => nRecommended + nOutcomes

const byName = (one: CellSums, other: CellSums): number =>
  Order.String(one.cluster, other.cluster) || Order.String(one.modelId, other.modelId)

/** The sums behind {@link overviewOf}; `lane` and `all` are as in {@link savingsFigures}. */
export const overviewSums = (
  all: ReadonlyArray<LedgerRow>,
  newest = decisionsMax,
  lane: Lane | null = null
): OverviewSums => {
  const rows = lane === null ? all : all.filter(({ decision }) => decision.lane === lane)
  const outliers = outliersIn(rows)
  return {
    days: savingsFigures(all, "day", lane),
    cells: cellsOf(rows, outliers),
    shadow: shadowSums(rows, outliers),
    newest: rows.slice(-newest).reverse()
  }
}

/** What the dashboard endpoint says beside the window that was asked for. */
type Overview = Omit<DashboardResponse, "days" | "namespace">

/** The overview from sums; see {@link overview}. */
export const overviewOf = (
  { cells, days, newest, shadow }: OverviewSums
): Overview => ({
  savingsByDay: savingsByDayOf(days),
  clusterModels: cells.toSorted((one, other) => weightOf(other) - weightOf(one) || byName(one, other))
    .slice(0, clusterModelsMax).sort(byName).map(clusterModel),
  clusterModelsLeftOut: Math.max(0, cells.length - clusterModelsMax),
  shadow: shadowOf(shadow),
  decisions: newest.map(recentDecision)
})

/**
 * The figures that the dashboard shows beside the reports: savings by UTC day of the decision, so that late
 * feedback counts on its decision's day; the outcomes of each model where it ran, at most 200 pairs of
 * cluster and model; the newest 50 decisions; and what those in shadow say.
 *
 * @param rows oldest first, as the ledger gives them
 */
export const overview = (
  rows: ReadonlyArray<LedgerRow>
): Overview =>
  overviewOf(overviewSums(rows))
