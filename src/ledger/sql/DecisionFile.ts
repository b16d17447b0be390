/* The form of a decision in an exported file: named columns in JSON, which other programs can read. */
import type { Decision } from "../../domain/Decision.ts"
import { timeOf } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { clusterOf, unitOf } from "../../domain/Task.ts"
import { snakeCase } from "../../domain/wire/Wire.ts"
import { type DecisionTextRow, taskVectorsOf } from "./DecisionColumns.ts"
import {
  type PackedFields, plainColumns, type PlainField, plainFields, unpackFields
} from "./PackedFields.ts"

type CandidateTuple = readonly [
  modelId: string, predictedSuccess: number, estCostUsd: number, isEligible: boolean
]
type ForecastTuple = readonly [
  modelId: string, base: number, cells: number, local: number, mixed: number, given?: number,
  bySpread?: ReadonlyArray<number>
]
type NeighbourTuple = readonly [entryId: string, modelId: string, weight: number]

export type FileColumns = Readonly<Record<string, unknown>>

const fileColumns = Object.entries({
  createdAt: "timestamp with time zone", recommendationId: "uuid", userId: "text?", tags: "jsonb",
  taskExcerpt: "text", taskVectors: "jsonb?", ...plainColumns, untriedCheaper: "jsonb?", unit: "text?",
  candidates: "jsonb", forecasts: "jsonb", neighbours: "jsonb"
}).map(([field, type]) => ({
  name: snakeCase(field),
  type: type.replace("?", ""),
  isNullable: type.endsWith("?"),
  hasDefault: false,
  isGenerated: false
}))

const candidateTuple = (
  { estCostUsd, isEligible, modelId, predictedSuccess }: PackedFields["candidates"][number]
): CandidateTuple => [modelId, predictedSuccess, estCostUsd, isEligible]

const forecastTuple = (
  { base, bySpread, cells, given, local, mixed, modelId }: PackedFields["forecasts"][number]
): ForecastTuple =>
  given === undefined
    ? [modelId, base, cells, local, mixed]
    : bySpread === undefined
    ? [modelId, base, cells, local, mixed, given]
    : [modelId, base, cells, local, mixed, given, bySpread]

/** Throws if the layout of the packed fields is unknown. */
const fileRow = ({ body, ...row }: FileColumns): FileColumns => {
  const fields = unpackFields(Buffer.from(String(body).slice(2), "hex"))
  if (fields === null) throw new Error("A decision is of a newer version: export it by that")
  return {
    ...row,
    ...Object.fromEntries(plainFields.map((field) => [snakeCase(field), fields[field] ?? null])),
    untried_cheaper: fields.untriedCheaper ?? null,
    unit: unitOf(fields.cluster) === "run" ? "run" : null,
    candidates: fields.candidates.map(candidateTuple),
    forecasts: fields.forecasts.map(forecastTuple),
    neighbours: fields.neighbours.map(({ entryId, modelId, weight }): NeighbourTuple =>
      [entryId, modelId, weight])
  }
}

export const decisionFile = { columns: fileColumns, rowOf: fileRow }

/** The import has checked this row by the columns and their schemas. */
type DecisionColumns = Pick<Decision, "recommendationId" | "tags" | "userId"> & DecisionTextRow & {
  readonly unit: "run" | null
  readonly candidates: ReadonlyArray<CandidateTuple>
  readonly forecasts: ReadonlyArray<ForecastTuple>
  readonly neighbours: ReadonlyArray<NeighbourTuple>
}

const fields = [...fileColumns.map(({ name }) => name), "account_id"]
  .map((name) => [name, name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())] as const)

export const ofFile = (accountId: AccountId, row: FileColumns): Decision => {
  const named = Object.fromEntries(fields.map(([column, field]) => [field, row[column] ?? null]))
  const { candidates, forecasts, neighbours, taskVectors, unit, untriedCheaper, ...own } =
    named as unknown as DecisionColumns & Pick<Decision, PlainField | "untriedCheaper">
  return {
    ...own,
    accountId,
    createdAt: timeOf(own.recommendationId),
    cluster: clusterOf(own.taskType, own.difficulty, unit ?? "call"),
    candidates: candidates.map(([modelId, predictedSuccess, estCostUsd, isEligible]) =>
      ({ modelId, predictedSuccess, estCostUsd, isEligible })),
    forecasts: forecasts.map(([modelId, base, cells, local, mixed, given, bySpread]) => ({
      modelId, base, cells, local, mixed,
      ...(given === undefined ? {} : { given }),
      ...(bySpread === undefined ? {} : { bySpread })
    })),
    neighbours: neighbours.map(([entryId, modelId, weight]) => ({ entryId, modelId, weight })),
    ...(untriedCheaper == null ? {} : { untriedCheaper }),
    ...taskVectorsOf(taskVectors)
  }
}
