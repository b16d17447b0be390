import { Order } from "effect"
import type { ClusterModel, DashboardResponse } from "../domain/Dashboard.ts"
import type { LedgerRow } from "../domain/Decision.ts"
import { groupBy } from "../stats/GroupBy.ts"
import * as Wilson from "../stats/Wilson.ts"
import { recentDecision } from "./RecentDecision.ts"
import { chosenCandidate, isReconciled, successOf } from "./Reconciled.ts"
import { savingsByDay } from "./Savings.ts"

/** Models are named by callers too, so without a bound the table could be as long as the ledger. */
const clusterModelsMax = 200
const decisionsMax = 50

/** Sums of one cell of the table. */
interface Cell {
  readonly cluster: string
  readonly modelId: string
  nRecommended: number
  nOutcomes: number
  successes: number
  nPredicted: number
  predicted: number
  nBilled: number
  costUsd: number
}

const cellsOf = (rows: ReadonlyArray<LedgerRow>): ReadonlyArray<Cell> => {
  const clusters = new Map<string, Map<string, Cell>>()
  const cellOf = (cluster: string, modelId: string): Cell => {
    const models = clusters.get(cluster) ?? new Map<string, Cell>()
    if (models.size === 0) clusters.set(cluster, models)
    const found = models.get(modelId)
    if (found !== undefined) return found
    const cell: Cell = {
      cluster, modelId, nRecommended: 0, nOutcomes: 0, successes: 0, nPredicted: 0, predicted: 0, nBilled: 0,
      costUsd: 0
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
      cell.costUsd += actualCostUsd
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

const clusterModel = (cell: Cell): ClusterModel => {
  const { cluster, modelId, nBilled, nOutcomes, nRecommended } = cell
  const successRate = meanOf(cell.successes, nOutcomes)
  const interval = successRate === null ? null : Wilson.interval95(successRate, nOutcomes)
  return {
    cluster,
    modelId,
    nRecommended,
    nOutcomes,
    successRate,
    successLow: interval?.low ?? null,
    successHigh: interval?.high ?? null,
    predictedSuccess: meanOf(cell.predicted, cell.nPredicted),
    nBilled,
    meanCostUsd: meanOf(cell.costUsd, nBilled)
  }
}

const weightOf = ({ nOutcomes, nRecommended }: Cell): number => nRecommended + nOutcomes

/**
 * What the dashboard shows beside the reports. Savings by day of decision, UTC, so that late feedback lands
 * on its decision's day; how each model did where it ran, at most 200 pairs of cluster and model; the newest
 * 50 decisions.
 *
 * @param rows oldest first, as the ledger gives them
 */
export const overview = (
  rows: ReadonlyArray<LedgerRow>
): Pick<DashboardResponse, "savingsByDay" | "clusterModels" | "clusterModelsLeftOut" | "decisions"> => {
  const cells = cellsOf(rows).toSorted((one, other) => weightOf(other) - weightOf(one))
  return {
    savingsByDay: savingsByDay(rows),
    clusterModels: cells.slice(0, clusterModelsMax).map(clusterModel).sort((one, other) =>
      Order.String(one.cluster, other.cluster) || Order.String(one.modelId, other.modelId)),
    clusterModelsLeftOut: Math.max(0, cells.length - clusterModelsMax),
    decisions: rows.slice(-decisionsMax).reverse().map(recentDecision)
  }
}
