/* The columns of the table `decision`, once: lists for SQL, and rows that are read and written. */
import type { PrepaidEstimates } from "../../domain/account/Prepaid.ts"
import type { Decision, LedgerRow, Reconciliation } from "../../domain/Decision.ts"
import { timeOf } from "../../domain/RecommendationId.ts"
import { clusterOf, type Unit, unitOf } from "../../domain/Task.ts"
import { snakeCase } from "../../domain/wire/Wire.ts"
import { wellFormedJson } from "../../sql/RowSet.ts"
import { packedCandidates } from "./PackedCandidates.ts"

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

/** The columns of a feedback by their SQL types: the first seven are all null, or none is. */
const feedbackTypes = {
  feedbackAt: "timestamptz", chosenModelId: "text", outcome: "text", quality: "float8", provenance: "text",
  errorCause: "text", teaches: "boolean", isLate: "boolean", actualCostUsd: "float8", inputTokens: "bigint",
  outputTokens: "bigint", actualLatencyMs: "float8", computedCostUsd: "float8", cachedInputTokens: "bigint",
  reasoningTokens: "bigint", timeToFirstTokenMs: "float8"
} as const

type DecisionField = typeof decisionFields[number]
type FeedbackField = keyof typeof feedbackTypes

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

/** The feedback of a decision; without one the time is null, and so are the others. */
export type FeedbackRow = Omit<Reconciliation, "feedbackAt" | "latencyMs"> & {
  readonly feedbackAt: Date | null
  readonly actualLatencyMs: number | null
}

const columnOf = (field: string): string => `${snakeCase(field)} as "${field}"`

/** The columns of {@link DecisionRow}, in SQL. */
export const decisionColumns = [...decisionFields, "unit"].map(columnOf).join(", ")

/** The columns of {@link DecisionDetailRow}. */
export const detailColumns = detailFields.map(columnOf).join(", ")

const feedbackColumnTypes = Object.entries(feedbackTypes).map(([field, type]) =>
  ({ field: field as FeedbackField, column: snakeCase(field), type }))

/** The columns of {@link FeedbackRow}; counts are below 2^53 and come as numbers. */
export const feedbackColumns = feedbackColumnTypes.map(({ column, field, type }) =>
  `${column}${type === "bigint" ? "::float8" : ""} as "${field}"`).join(", ")

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

type CellValue = string | number | boolean | null | Date

/** How each column of an insert is written; the account comes first, as in every statement about one. */
const writers = [...detailFields, ...decisionFields].map((field) => {
  const json = jsonOf[field]
  const write = (decision: Decision): unknown => json === undefined ? decision[field] : json(decision)
  return { column: snakeCase(field), write }
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
  return wellFormedJson(row)
}

/** The values of a feedback, by column. */
export const feedbackCells = (reconciliation: Reconciliation): Readonly<Record<string, CellValue>> => {
  const { latencyMs: actualLatencyMs, ...rest } = reconciliation
  const values: FeedbackRow = { ...rest, actualLatencyMs }
  return Object.fromEntries(feedbackColumnTypes.map(({ column, field }) => [column, values[field]]))
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

const toReconciliation = (row: FeedbackRow): Reconciliation | null =>
  row.feedbackAt === null ? null : {
    feedbackAt: row.feedbackAt,
    chosenModelId: row.chosenModelId,
    outcome: row.outcome,
    quality: row.quality,
    provenance: row.provenance,
    errorCause: row.errorCause,
    teaches: row.teaches,
    isLate: row.isLate,
    actualCostUsd: row.actualCostUsd,
    computedCostUsd: row.computedCostUsd,
    inputTokens: row.inputTokens,
    cachedInputTokens: row.cachedInputTokens,
    outputTokens: row.outputTokens,
    reasoningTokens: row.reasoningTokens,
    latencyMs: row.actualLatencyMs,
    timeToFirstTokenMs: row.timeToFirstTokenMs
  }

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

export const toLedgerRow = (row: DecisionRow & FeedbackRow): LedgerRow => ({
  decision: toLedgerDecision(row),
  feedback: toReconciliation(row)
})
