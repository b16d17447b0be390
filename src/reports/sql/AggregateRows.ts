/* The sums of the port as SQL expressions, and the functions that turn their rows into the port's values. */
import type { CellSums } from "../Aggregates.ts"
import type { BilledSums, HealthSums, Keyed, SavingsSums } from "../savings/SavingsSums.ts"
import { noBills } from "../savings/Savings.ts"
import { isFar } from "./CostOutliers.ts"

/** An SQL expression for each sum, over rows of `decision_figures`. */
export type SumsIn<Sums> = { readonly [Name in keyof Sums]: string }

/** Returns the SQL of one column: a JSON object with the name and the value of each sum. */
export const sumsColumn = (sums: Readonly<Record<string, string>>): string =>
  `json_build_object(${Object.entries(sums).map(([name, sum]) => `'${name}', ${sum}`).join(", ")})`

const count = (condition: string): string => `count(*) filter (where ${condition})`
const total = (value: string, condition = "true"): string =>
  `coalesce(sum(${value}) filter (where ${condition}), 0)`

const healthSums: SumsIn<HealthSums> = {
  n: "count(*)",
  nFeedback: "count(feedback_at)",
  nLate: count("is_late"),
  nEscalated: count("is_escalated"),
  nExplored: count("is_exploration"),
  nEpsilon: count("is_epsilon")
}
export const healthColumn = sumsColumn(healthSums)

const isBilled = "actual_cost_usd is not null"
const isUnbilled = "actual_cost_usd is null"
const isDeclared = "cost_declared_usd is not null"

const billedSums: SumsIn<BilledSums> = {
  n: "count(actual_cost_usd)",
  billedUsd: total("actual_cost_usd"),
  recommendedUsd: total("cost_recommended_usd", isBilled),
  premiumUsd: total("cost_premium_usd", isBilled),
  nDeclared: "count(actual_cost_usd + cost_declared_usd)",
  declaredUsd: total("cost_declared_usd", isBilled),
  billedOfDeclaredUsd: total("actual_cost_usd", isDeclared)
}
export const billedColumn = sumsColumn(billedSums)

type OwnSums = Omit<SavingsSums, "outliers">

const savingsSums: SumsIn<OwnSums> = {
  ...healthSums,
  nFollowed: count("chosen_model_id = recommended_model_id"),
  nListed: `count(computed_cost_usd) filter (where ${isUnbilled})`,
  listedUsd: total("computed_cost_usd", isUnbilled),
  recommendedUsd: total("cost_recommended_usd"),
  premiumUsd: total("cost_premium_usd"),
  nDeclared: "count(cost_declared_usd)",
  declaredUsd: total("cost_declared_usd"),
  recommendedOfDeclaredUsd: total("cost_recommended_usd", isDeclared),
  billed: billedColumn,
  reasonerUsd: "sum(reasoner_cost_usd)"
}

export interface SavingsRow {
  /** The key of the group; null for rows that savings leave out. */
  readonly key: string | null
  readonly sums: OwnSums
  /** Number of costs that are outliers, whether confirmed or not. */
  readonly nFar: number
  readonly nAttempts: number
}

export const savingsColumns = `${sumsColumn(savingsSums)} as sums, (${count(isFar)})::int as "nFar",
  count(task_key)::int as "nAttempts"`

/** Adds up the health sums of groups that share no decision. */
export const healthIn = (rows: ReadonlyArray<{ readonly health: HealthSums }>): HealthSums => {
  const sum = (name: keyof HealthSums) => rows.reduce((total, { health }) => total + health[name], 0)
  return {
    n: sum("n"), nFeedback: sum("nFeedback"), nLate: sum("nLate"), nEscalated: sum("nEscalated"),
    nExplored: sum("nExplored"), nEpsilon: sum("nEpsilon")
  }
}

/** @param outliers for each group, the bills that are outliers and that no other bill confirms */
export const savingsIn = (
  rows: ReadonlyArray<SavingsRow>,
  outliers: ReadonlyArray<Keyed<BilledSums>>
): ReadonlyArray<Keyed<SavingsSums>> => {
  const byKey = new Map(outliers.map(({ key, sums }) => [key, sums]))
  return rows.map(({ key, sums }) =>
    ({ key: key ?? "", sums: { ...sums, outliers: byKey.get(key ?? "") ?? noBills } }))
}

export interface CellRow extends Pick<SavingsRow, "sums"> {
  readonly cluster: string
  readonly modelId: string | null
  readonly isRecommended: boolean
  readonly outcomes: Pick<CellSums, "nOutcomes" | "nPredicted" | "predicted" | "successes">
}

export const outcomesColumn = sumsColumn({
  nOutcomes: count("teaches"),
  successes: total("success", "teaches"),
  nPredicted: "count(taught_prediction)",
  predicted: total("taught_prediction")
} satisfies SumsIn<CellRow["outcomes"]>)

export type CellOutlierRow = Pick<CellSums, "cluster" | "modelId" | "nOutliers" | "outliersUsd">

export const cellsIn = (
  rows: ReadonlyArray<CellRow>,
  outliers: ReadonlyArray<CellOutlierRow>
): ReadonlyArray<CellSums> => {
  const cells = new Map<string, CellSums>()
  // A line break separates the parts, because no cluster's name contains one.
  const keyOf = (cluster: string, modelId: string): string => `${cluster}\n${modelId}`
  for (const { cluster, isRecommended, modelId, outcomes, sums: { billed, n } } of rows) {
    if (modelId === null) continue
    const key = keyOf(cluster, modelId)
    const cell: CellSums = cells.get(key) ?? {
      cluster, modelId, nRecommended: 0, nOutcomes: 0, successes: 0, nPredicted: 0, predicted: 0, nBilled: 0,
      billedUsd: 0, nOutliers: 0, outliersUsd: 0
    }
    cells.set(key, isRecommended
      ? { ...cell, nRecommended: n }
      : { ...cell, ...outcomes, nBilled: billed.n, billedUsd: billed.billedUsd })
  }
  for (const own of outliers) {
    const key = keyOf(own.cluster, own.modelId)
    const cell = cells.get(key)
    if (cell !== undefined) cells.set(key, { ...cell, ...own })
  }
  return [...cells.values()]
}
