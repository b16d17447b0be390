/* The columns of the table `decision`, once: lists for SQL, and rows that are read and written. */
import type { PrepaidEstimates } from "../../domain/account/Prepaid.ts"
import { spendOf } from "../../domain/account/Spending.ts"
import type { Decision, LedgerRow } from "../../domain/Decision.ts"
import { reconciliationOf } from "../../domain/FeedbackPrecedence.ts"
import { timeOf } from "../../domain/RecommendationId.ts"
import { clusterOf, type Unit, unitOf } from "../../domain/Task.ts"
import { snakeCase } from "../../domain/wire/Wire.ts"
import { wellFormedJson } from "../../sql/RowSet.ts"
import { packedCandidates } from "./PackedCandidates.ts"
import { type OutcomesCell, parsedOutcomes } from "./StoredOutcomes.ts"

/*
 * A column holds the field whose name, in snake case, it has; rows are read under the names of the fields.
 * The types restate `sql/schema/ledger.sql` and what migrations added. Only this folder writes the table, so
 * rows are read without a schema.
 */

type CandidateTuple = readonly [
  modelId: string, predictedSuccess: number, estCostUsd: number, isEligible: boolean
]
type ForecastTuple = readonly [
  modelId: string, base: number, cells: number, local: number, mixed: number, given?: number,
  bySpread?: ReadonlyArray<number>
]
type VectorTuple = readonly [embedder: string, scale: number, vector: string]
type NeighbourTuple = readonly [entryId: string, modelId: string, weight: number]

/** The fields of a decision that reports read. */
const decisionFields = [
  "recommendationId", "workflowId", "createdAt", "lane", "userId", "taskType", "difficulty", "tags",
  "recommendedModelId", "predictedSuccess", "threshold", "decisionBasis", "selectionPolicy", "propensity",
  "isExploration", "isEscalated", "costRecommendedUsd", "costPremiumUsd", "baselineModelId",
  "costDeclaredUsd", "candidates", "warnings", "catalogVersion", "latencyMs",
  "reasonerCostUsd", "isShadow", "guaranteeBaselineId", "guaranteeCandidateId",
  "taskKey", "attemptNumber", "successValueUsd"
] as const satisfies ReadonlyArray<keyof Decision>

/** The fields that a decision is read with only by its id. */
const detailFields = [
  "accountId", "taskExcerpt", "taskVectors", "neighbours", "forecasts", "costMarginUsd", "prepaidTokens"
] as const satisfies ReadonlyArray<keyof Decision>

type DecisionField = typeof decisionFields[number]

/** A decision as a report reads it. */
export type DecisionRow = Omit<Pick<Decision, DecisionField>, "candidates"> & {
  /** Null for a call. */
  readonly unit: Unit | null
  readonly candidates: ReadonlyArray<CandidateTuple>
}

/** What only a single decision is read with. */
export type DecisionDetailRow = Pick<Decision, "accountId" | "costMarginUsd" | "taskExcerpt"> & {
  readonly taskVectors: ReadonlyArray<VectorTuple> | null
  readonly prepaidTokens: PrepaidEstimates | null
  readonly neighbours: ReadonlyArray<NeighbourTuple>
  readonly forecasts: ReadonlyArray<ForecastTuple>
}

const columnOf = (field: string): string =>
  // The task that reports name takes the place of a chain.
  `${field === "taskKey" ? "coalesce(reported_task_key, task_key)" : snakeCase(field)} as "${field}"`

/** The columns of {@link DecisionRow}, in SQL, of a decision joined with its outcome. */
export const decisionColumns = [...decisionFields, "unit"].map(columnOf).join(", ")

/** The columns of {@link DecisionDetailRow}. */
export const detailColumns = detailFields.map(columnOf).join(", ")

/** What a JSON column is written from: tuples take half the room of objects. */
const jsonOf: { readonly [Field in keyof Decision]?: (decision: Decision) => unknown } = {
  tags: ({ tags }) => tags,
  warnings: ({ warnings }) => warnings,
  candidates: ({ candidates }) => candidates.map((candidate): CandidateTuple =>
    [candidate.modelId, candidate.predictedSuccess, candidate.estCostUsd, candidate.isEligible]),
  forecasts: ({ forecasts }) =>
    forecasts.map(({ base, bySpread, cells, given, local, mixed, modelId }): ForecastTuple =>
      given === undefined
        ? [modelId, base, cells, local, mixed]
        : bySpread === undefined
        ? [modelId, base, cells, local, mixed, given]
        : [modelId, base, cells, local, mixed, given, bySpread]),
  neighbours: ({ neighbours }) => neighbours.map(({ entryId, modelId, weight }): NeighbourTuple =>
    [entryId, modelId, weight]),
  taskVectors: ({ taskVectors }) => taskVectors?.map(({ embedder, scale, vector }): VectorTuple =>
    [embedder, scale, vector])
}

/** How each column of an insert is written; the account comes first, as in every statement about one. */
const writers = [...detailFields, ...decisionFields].map((field) => {
  const json = jsonOf[field]
  const write = (decision: Decision): unknown => json === undefined ? decision[field] : json(decision)
  return { field, column: snakeCase(field), write }
})

/** A value as JSON can say it: NaN and Infinity, which it would make null, are text that a column refuses. */
const sayable = (value: unknown): unknown =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value

/**
 * A decision as the JSON text of its row, by column; `append_decisions` reads it. Its time is
 * the one in its id.
 */
export const toRow = (decision: Decision): string => {
  const row: Record<string, unknown> = {}
  for (const { column, write } of writers) row[column] = sayable(write(decision))
  row["created_at"] = timeOf(decision.recommendationId)
  if (unitOf(decision.cluster) === "run") row["unit"] = "run"
  row["packed_candidates"] = packedCandidates(decision)
  const { marginUsd, waitingUsd } = spendOf(decision, [])
  row["waiting_usd"] = sayable(waitingUsd)
  row["margin_usd"] = sayable(marginUsd)
  return wellFormedJson(row)
}

/** The decision's own fields of a row that has others as well. */
const ownFields = (row: DecisionRow): DecisionRow => {
  const own: { [Field in DecisionField]?: unknown } = {}
  for (const field of decisionFields) own[field] = row[field]
  // Each field is the row's.
  return own as DecisionRow
}

const toLedgerDecision = (row: DecisionRow): LedgerRow["decision"] => ({
  ...ownFields(row),
  cluster: clusterOf(row.taskType, row.difficulty, row.unit ?? "call"),
  candidates: row.candidates.map(([modelId, predictedSuccess, estCostUsd, isEligible]) =>
    ({ modelId, predictedSuccess, estCostUsd, isEligible }))
})

export const toDecision = (row: DecisionRow & DecisionDetailRow): Decision => ({
  ...toLedgerDecision(row),
  accountId: row.accountId,
  costMarginUsd: row.costMarginUsd,
  ...(row.prepaidTokens === null ? {} : { prepaidTokens: row.prepaidTokens }),
  taskExcerpt: row.taskExcerpt,
  ...(row.taskVectors === null ? {} : {
    taskVectors: row.taskVectors.map(([embedder, scale, vector]) => ({ embedder, scale, vector }))
  }),
  neighbours: row.neighbours.map(([entryId, modelId, weight]) => ({ entryId, modelId, weight })),
  forecasts: row.forecasts.map(([modelId, base, cells, local, mixed, given, bySpread]) => ({
    modelId, base, cells, local, mixed,
    ...(given === undefined ? {} : { given }),
    ...(bySpread === undefined ? {} : { bySpread })
  }))
})

/** A decision by its columns, as an exported account has them. */
export const fromColumns = (columns: Readonly<Record<string, unknown>>): Decision => {
  const row: Record<string, unknown> = { unit: columns["unit"] ?? null }
  for (const { column, field } of writers) row[field] = columns[column] ?? null
  // An import has checked the columns by their schemas.
  return toDecision(row as unknown as DecisionRow & DecisionDetailRow)
}

export const toLedgerRow = (row: DecisionRow & OutcomesCell): LedgerRow => ({
  decision: toLedgerDecision(row),
  feedback: reconciliationOf(parsedOutcomes(row))
})
