/* The reference of the figures that the dashboard shows beside the reports. */
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import type { CellSums, OverviewSums } from "../../../src/reports/Aggregates.ts"
import { decisionsMax, type Overview, overviewOf } from "../../../src/reports/Overview.ts"
import { chosenCandidate, isReconciled, successOf } from "./Reconciled.ts"
import { outliersIn, savingsFigures } from "./Savings.ts"
import { shadowSums } from "./Shadow.ts"

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

/** The sums behind {@link overviewOf}; `isOwn` and `all` are as in {@link savingsFigures}. */
export const overviewSums = (
  all: ReadonlyArray<LedgerRow>,
  newest = decisionsMax,
  isOwn: (row: LedgerRow) => boolean = () => true
): OverviewSums => {
  const rows = all.filter(isOwn)
  const outliers = outliersIn(rows)
  return {
    days: savingsFigures(all, "day", isOwn),
    cells: cellsOf(rows, outliers),
    shadow: shadowSums(rows, outliers),
    newest: rows.slice(-newest).reverse()
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
  rows: ReadonlyArray<LedgerRow>
): Overview =>
  overviewOf(overviewSums(rows))
