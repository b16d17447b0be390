/* The SQL columns of a decision: the arguments that write it, and the columns that are read. */
import { spendOf } from "../../domain/account/Spending.ts"
import type { Decision, LedgerRow } from "../../domain/Decision.ts"
import { reconciliationOf } from "../../domain/feedback/FeedbackPrecedence.ts"
import { createdAtOf, type RecommendationId, timeOf } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { unitOf } from "../../domain/Task.ts"
import { snakeCase } from "../../domain/wire/Wire.ts"
import { type ColumnValue, wellFormedJson } from "../../sql/RowSet.ts"
import { packFields, plainFields, unpackFields } from "./PackedFields.ts"
import { packedCandidates } from "./PackedCandidates.ts"
import { type OutcomesCell, parsedOutcomes } from "./StoredOutcomes.ts"

type VectorTuple = readonly [embedder: string, scale: number, vector: string]

const vectorTuples = ({ taskVectors }: Decision): ReadonlyArray<VectorTuple> | null =>
  taskVectors?.map(({ embedder, scale, vector }): VectorTuple => [embedder, scale, vector]) ?? null

interface RowColumn {
  readonly type: string
  readonly of: (decision: Decision) => ColumnValue
}

/**
 * The arguments of `append_decisions`, each an array with one value per decision. The columns of `decision`
 * come first, and then those of `decision_figures`. The last argument of `append_decisions` is what a
 * decision reserves of the budget beyond its estimate.
 */
export const rowColumns: ReadonlyArray<RowColumn> = [
  { type: "timestamptz", of: ({ recommendationId }) => createdAtOf(recommendationId) },
  { type: "uuid", of: ({ recommendationId }) => recommendationId },
  { type: "text", of: ({ userId }) => userId },
  { type: "text", of: ({ tags }) => tags },
  { type: "text", of: ({ taskExcerpt }) => taskExcerpt },
  {
    type: "text",
    of: (decision) => {
      const vectors = vectorTuples(decision)
      return vectors === null ? null : wellFormedJson(vectors)
    }
  },
  { type: "bytea", of: packFields },
  { type: "float8", of: ({ propensity }) => propensity },
  { type: "float8", of: ({ costRecommendedUsd }) => costRecommendedUsd },
  { type: "float8", of: ({ costPremiumUsd }) => costPremiumUsd },
  { type: "float8", of: ({ costDeclaredUsd }) => costDeclaredUsd },
  { type: "float8", of: ({ reasonerCostUsd }) => reasonerCostUsd },
  { type: "float8", of: (decision) => spendOf(decision, []).waitingUsd },
  { type: "boolean", of: ({ isEscalated }) => isEscalated },
  { type: "boolean", of: ({ isExploration }) => isExploration },
  { type: "boolean", of: ({ selectionPolicy }) => selectionPolicy === "epsilon_softmax" },
  { type: "boolean", of: ({ isShadow }) => isShadow },
  { type: "text", of: ({ lane }) => lane },
  {
    type: "text",
    of: ({ cluster, difficulty, taskType }) =>
      unitOf(cluster) === "run" ? `${taskType}:${difficulty}:run` : `${taskType}:${difficulty}`
  },
  { type: "text", of: ({ recommendedModelId }) => recommendedModelId },
  {
    type: "text",
    of: ({ baselineModelId, costDeclaredUsd }) => costDeclaredUsd === null ? null : baselineModelId
  },
  { type: "text", of: ({ guaranteeBaselineId }) => guaranteeBaselineId },
  { type: "text", of: ({ guaranteeCandidateId }) => guaranteeCandidateId },
  { type: "bytea", of: packedCandidates },
  { type: "text", of: ({ taskKey }) => taskKey },
  { type: "int2", of: ({ attemptNumber }) => attemptNumber },
  { type: "float8", of: (decision) => spendOf(decision, []).marginUsd }
]

/** The values of a decision, in the order of {@link rowColumns}. */
export type DecisionValues = ReadonlyArray<ColumnValue>

export const toRow = (decision: Decision): DecisionValues => rowColumns.map(({ of }) => of(decision))

/**
 * Returns true if all plain number fields except the margin are finite, because JSON would store NaN and
 * Infinity as null.
 */
export const hasNumbers = (decision: Decision): boolean =>
  plainFields.every((field) => {
    if (field === "costMarginUsd") return true
    const value = decision[field]
    return typeof value !== "number" || Number.isFinite(value)
  })

export interface DecisionRow {
  readonly accountId: AccountId
  readonly recommendationId: RecommendationId
  readonly userId: string | null
  readonly tags: ReadonlyArray<string>
  readonly body: Uint8Array
  /** The decision's task key after its reports; if not null, it replaces the key in `body`. */
  readonly reportedTaskKey: string | null
}

export interface DecisionTextRow {
  readonly taskExcerpt: string
  readonly taskVectors: ReadonlyArray<VectorTuple> | null
}

const columnsOf = (fields: ReadonlyArray<string>): string =>
  fields.map((field) => `${snakeCase(field)} as "${field}"`).join(", ")

export const decisionColumns = columnsOf(
  ["recommendationId", "accountId", "userId", "tags", "body", "reportedTaskKey"] satisfies
    ReadonlyArray<keyof DecisionRow>
)

export const textColumns =
  columnsOf(["taskExcerpt", "taskVectors"] satisfies ReadonlyArray<keyof DecisionTextRow>)

/** Returns the field `taskVectors`, or no field if the decision stores no vectors. */
export const taskVectorsOf = (
  tuples: ReadonlyArray<VectorTuple> | null
): Pick<Decision, "taskVectors"> =>
  tuples === null
    ? {}
    : { taskVectors: tuples.map(([embedder, scale, vector]) => ({ embedder, scale, vector })) }

/** Returns null if the layout of the packed fields is unknown. A text that the row lacks becomes empty. */
export const toDecision = (row: DecisionRow & Partial<DecisionTextRow>): Decision | null => {
  const { accountId, body, recommendationId, tags, taskVectors = null, userId } = row
  const fields = unpackFields(body)
  return fields === null ? null : {
    ...fields,
    accountId, recommendationId, userId, tags,
    createdAt: timeOf(recommendationId),
    taskExcerpt: row.taskExcerpt ?? "",
    ...taskVectorsOf(taskVectors),
    taskKey: row.reportedTaskKey ?? fields.taskKey
  }
}

export const toLedgerRow = (decision: Decision, outcomes: OutcomesCell): LedgerRow => {
  const {
    accountId: _account, costMarginUsd: _margin, forecasts: _forecasts, neighbours: _neighbours,
    taskExcerpt: _excerpt, taskVectors: _vectors, ...read
  } = decision
  return { decision: read, feedback: reconciliationOf(parsedOutcomes(outcomes)) }
}
