/* The answer of `GET /v1/dashboard`: figures that the page shows in addition to the other reports. */
import { Order } from "effect"
import { namedOf } from "../domain/model/ModelVariant.ts"
import { dayMs } from "../domain/Time.ts"
import type { ClusterModel, DashboardResponse, SpendDay } from "../domain/reports/Dashboard.ts"
import * as Wilson from "../stats/Wilson.ts"
import type { CellSums, OverviewSums, SpendSums } from "./Aggregates.ts"
import { coverageOf } from "./Coverage.ts"
import { sum } from "./savings/Followed.ts"
import { judgesOf } from "./Judges.ts"
import { recentDecision } from "./RecentDecision.ts"
import { reportSettings } from "./ReportSettings.ts"
import { savingsByDayOf } from "./savings/Savings.ts"
import { shadowOf } from "./savings/Shadow.ts"
import { untriedByKind } from "./advice/Untried.ts"
import { verdictsNeededOf } from "./VerdictsNeeded.ts"

/** Maximum number of rows in the table, because callers may name any number of models. */
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

/** Returns the spending by day of the models that cost most; the cheaper models share an empty name. */
const spendByDayOf = (spend: ReadonlyArray<SpendSums>): ReadonlyArray<SpendDay> => {
  const costOf = (rows: ReadonlyArray<SpendSums>) =>
    sum(rows, ({ billedUsd, listedUsd }) => billedUsd + listedUsd)
  const dearest = new Set([...Map.groupBy(spend, ({ modelId }) => modelId)]
    .map(([modelId, rows]) => ({ modelId, usd: costOf(rows) }))
    .sort((one, other) => other.usd - one.usd || Order.String(one.modelId, other.modelId))
    .slice(0, reportSettings.spendModelsMax).map(({ modelId }) => modelId))
  const nameOf = ({ modelId }: SpendSums): string => dearest.has(modelId) ? modelId : ""
  return [...Map.groupBy(spend, (row) => `${row.day} ${nameOf(row)}`).values()].flatMap((rows) =>
    rows.slice(0, 1).map((first) => ({
      day: first.day,
      ...namedOf(nameOf(first)),
      n: sum(rows, ({ n }) => n),
      billedUsd: sum(rows, ({ billedUsd }) => billedUsd),
      listPricesUsd: sum(rows, ({ listedUsd }) => listedUsd)
    })))
}

const named = <Sums extends { readonly modelId: string }>({ modelId, ...sums }: Sums) =>
  ({ ...namedOf(modelId), ...sums })

const weightOf = ({ nOutcomes, nRecommended }: CellSums): number => nRecommended + nOutcomes

const byName = (one: CellSums, other: CellSums): number =>
  Order.String(one.cluster, other.cluster) || Order.String(one.modelId, other.modelId)

interface OverviewWindow {
  readonly since: Date
  readonly days: number
}

/** Returns the days from the first decision outside shadow to the end of the window, at least 1. */
const daysSeen = ({ days: { groups } }: OverviewSums, { days, since }: OverviewWindow): number => {
  const lead = groups.flatMap(({ key }) => key === "" ? [] : [Date.parse(key) - since.getTime()])
  return Math.max(1, days - Math.max(0, lead.length === 0 ? 0 : Math.min(...lead)) / dayMs)
}

export type Overview = Omit<DashboardResponse, "days" | "namespace">

/** Outcomes are grouped by cluster and model. Shows the 200 pairs with most recommendations plus outcomes. */
export const overviewOf = (sums: OverviewSums, window: OverviewWindow): Overview => {
  const { baselines, calls, cells, days, judges, newest, shadow, spend, verdicts } = sums
  return {
    savingsByDay: savingsByDayOf(days),
    clusterModels: cells.toSorted((one, other) => weightOf(other) - weightOf(one) || byName(one, other))
      .slice(0, clusterModelsMax).sort(byName).map(clusterModel),
    clusterModelsLeftOut: Math.max(0, cells.length - clusterModelsMax),
    shadow: shadowOf(shadow),
    coverage: coverageOf(verdicts),
    judges: judgesOf(judges),
    untriedCheaper: untriedByKind(newest),
    verdictsNeeded: verdictsNeededOf(cells, daysSeen(sums, window)),
    spendByDay: spendByDayOf(spend),
    modelCalls: calls.map(named),
    baselines: baselines.map(named),
    decisions: newest.map(recentDecision)
  }
}
