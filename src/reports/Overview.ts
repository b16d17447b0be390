/* The figures that the dashboard shows beside the reports. */
import { Order } from "effect"
import { namedOf } from "../domain/model/ModelVariant.ts"
import type { ClusterModel, DashboardResponse } from "../domain/reports/Dashboard.ts"
import * as Wilson from "../stats/Wilson.ts"
import type { CellSums, OverviewSums } from "./Aggregates.ts"
import { coverageOf } from "./Coverage.ts"
import { judgesOf } from "./Judges.ts"
import { recentDecision } from "./RecentDecision.ts"
import { savingsByDayOf } from "./Savings.ts"
import { shadowOf } from "./Shadow.ts"
import { untriedByKind } from "./Untried.ts"

/**
 * Most rows of the table, count. Callers name models, so the table could otherwise be as long as the ledger.
 */
const clusterModelsMax = 200
export const decisionsMax = 50

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

/** What the dashboard endpoint says beside the window that was asked for. */
export type Overview = Omit<DashboardResponse, "days" | "namespace">

/**
 * The figures that the dashboard shows beside the reports: savings by UTC day of the decision, so that late
 * feedback counts on its decision's day; the outcomes of each model where it ran, at most 200 pairs of
 * cluster and model; the newest decisions; and what those in shadow say.
 */
export const overviewOf = (
  { cells, days, judges, newest, shadow, verdicts }: OverviewSums
): Overview => ({
  savingsByDay: savingsByDayOf(days),
  clusterModels: cells.toSorted((one, other) => weightOf(other) - weightOf(one) || byName(one, other))
    .slice(0, clusterModelsMax).sort(byName).map(clusterModel),
  clusterModelsLeftOut: Math.max(0, cells.length - clusterModelsMax),
  shadow: shadowOf(shadow),
  coverage: coverageOf(verdicts),
  judges: judgesOf(judges),
  untriedCheaper: untriedByKind(newest),
  decisions: newest.map(recentDecision)
})
