/* Decodes the rows of the aggregate statements into the port's sums. */
import type { BilledSums, CellSums, HealthSums, Keyed, SavingsSums } from "../Aggregates.ts"

/** The columns of health in a row. */
export interface HealthRow {
  readonly n: number
  readonly n_feedback: number
  readonly n_late: number
  readonly n_escalated: number
  readonly n_explored: number
  readonly n_epsilon: number
}

/** The savings of one group in a row; a sum without rows is null. */
export interface SavingsRow extends HealthRow {
  readonly key: string | null
  readonly n_followed: number
  readonly recommended: number | null
  readonly premium: number | null
  readonly n_declared: number
  readonly declared: number | null
  readonly recommended_of_declared: number | null
  readonly n_billed: number
  readonly billed: number | null
  readonly recommended_of_billed: number | null
  readonly premium_of_billed: number | null
  readonly n_billed_declared: number
  readonly declared_of_billed: number | null
  readonly billed_of_declared: number | null
  readonly reasoner: number | null
  /** How many costs, bills or at list prices, are outliers before others confirm them. */
  readonly n_far: number
  /** How many say which task they are an attempt at. */
  readonly n_attempts: number
}

/** The outliers of one group that no other bill confirms. */
export interface OutlierRow {
  readonly key: string
  readonly n: number
  readonly usd: number
  readonly recommended: number
  readonly premium: number
  readonly n_declared: number
  readonly declared: number | null
  readonly usd_of_declared: number | null
}

/** Counts of a cluster and a model: the recommended one, or the one that ran. */
export interface CellRow extends Pick<SavingsRow, "n" | "n_billed" | "billed"> {
  readonly cluster: string
  readonly model_id: string | null
  readonly is_recommended: boolean
  readonly n_outcomes: number
  readonly successes: number | null
  readonly n_predicted: number
  readonly predicted: number | null
}

const healthSums = (row: HealthRow): HealthSums => ({
  n: row.n,
  nFeedback: row.n_feedback,
  nLate: row.n_late,
  nEscalated: row.n_escalated,
  nExplored: row.n_explored,
  nEpsilon: row.n_epsilon
})

/** The sum over groups that share no row. */
export const healthIn = (rows: ReadonlyArray<HealthRow>): HealthSums => {
  const sum = (of: (row: HealthRow) => number) => rows.reduce((total, row) => total + of(row), 0)
  return {
    n: sum(({ n }) => n),
    nFeedback: sum((row) => row.n_feedback),
    nLate: sum((row) => row.n_late),
    nEscalated: sum((row) => row.n_escalated),
    nExplored: sum((row) => row.n_explored),
    nEpsilon: sum((row) => row.n_epsilon)
  }
}

const outliersOf = (row: OutlierRow | undefined): BilledSums => ({
  n: row?.n ?? 0,
  billedUsd: row?.usd ?? 0,
  recommendedUsd: row?.recommended ?? 0,
  premiumUsd: row?.premium ?? 0,
  nDeclared: row?.n_declared ?? 0,
  declaredUsd: row?.declared ?? 0,
  billedOfDeclaredUsd: row?.usd_of_declared ?? 0
})

const billedOf = (row: SavingsRow): BilledSums => ({
  n: row.n_billed,
  billedUsd: row.billed ?? 0,
  recommendedUsd: row.recommended_of_billed ?? 0,
  premiumUsd: row.premium_of_billed ?? 0,
  nDeclared: row.n_billed_declared,
  declaredUsd: row.declared_of_billed ?? 0,
  billedOfDeclaredUsd: row.billed_of_declared ?? 0
})

export const savingsIn = (
  rows: ReadonlyArray<SavingsRow>,
  outliers: ReadonlyArray<OutlierRow>
): ReadonlyArray<Keyed<SavingsSums>> => {
  const byKey = new Map(outliers.map((row) => [row.key, row]))
  return rows.map((row) => ({
    key: row.key ?? "",
    sums: {
      ...healthSums(row),
      nFollowed: row.n_followed,
      recommendedUsd: row.recommended ?? 0,
      premiumUsd: row.premium ?? 0,
      nDeclared: row.n_declared,
      declaredUsd: row.declared ?? 0,
      recommendedOfDeclaredUsd: row.recommended_of_declared ?? 0,
      billed: billedOf(row),
      outliers: outliersOf(byKey.get(row.key ?? "")),
      reasonerUsd: row.reasoner
    }
  }))
}

/** The outliers of one cell that no other bill confirms. */
export interface CellOutlierRow {
  readonly cluster: string
  readonly model_id: string
  readonly n: number
  readonly usd: number
}

/** Joins both kinds of rows of each cell, and its outliers. */
export const cellsIn = (
  rows: ReadonlyArray<CellRow>,
  outliers: ReadonlyArray<CellOutlierRow>
): ReadonlyArray<CellSums> => {
  const cells = new Map<string, CellSums>()
  for (const row of rows) {
    if (row.model_id === null) continue
    // The name of a cluster holds no line break.
    const key = `${row.cluster}\n${row.model_id}`
    const cell: CellSums = cells.get(key) ?? {
      cluster: row.cluster, modelId: row.model_id, nRecommended: 0, nOutcomes: 0, successes: 0, nPredicted: 0,
      predicted: 0, nBilled: 0, billedUsd: 0, nOutliers: 0, outliersUsd: 0
    }
    cells.set(key, row.is_recommended ? { ...cell, nRecommended: row.n } : {
      ...cell,
      nOutcomes: row.n_outcomes,
      successes: row.successes ?? 0,
      nPredicted: row.n_predicted,
      predicted: row.predicted ?? 0,
      nBilled: row.n_billed,
      billedUsd: row.billed ?? 0
    })
  }
  for (const { cluster, model_id: modelId, n, usd } of outliers) {
    const key = `${cluster}\n${modelId}`
    const cell = cells.get(key)
    if (cell !== undefined) cells.set(key, { ...cell, nOutliers: n, outliersUsd: usd })
  }
  return [...cells.values()]
}
