/* The columns of a decision: the arguments of `append_decisions`, and the columns that are read. */
import { spendOf } from "../../domain/account/Spending.ts"
import type { Decision, LedgerRow } from "../../domain/Decision.ts"
import { reconciliationOf } from "../../domain/feedback/FeedbackPrecedence.ts"
import { createdAtOf, type RecommendationId, timeOf } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { unitOf } from "../../domain/Task.ts"
import { snakeCase } from "../../domain/wire/Wire.ts"
import { type ColumnValue, wellFormedJson } from "../../sql/RowSet.ts"
import { bodyOf, plainFields, readBody } from "./DecisionBody.ts"
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
 * The arguments of `append_decisions`, an array of each, in their order. The first are the columns of
 * `decision`, the others those of `decision_figures`, and the last is what is reserved.
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
  { type: "bytea", of: bodyOf },
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

/** A decision as a call of `append_decisions` passes it, by {@link rowColumns}. */
export type DecisionValues = ReadonlyArray<ColumnValue>

export const toRow = (decision: Decision): DecisionValues => rowColumns.map(({ of }) => of(decision))

/**
 * Whether all numbers are finite: JSON would store NaN and Infinity as null. A margin that is not finite is
 * refused where the reserve is checked.
 */
export const hasNumbers = (decision: Decision): boolean =>
  plainFields.every((field) => {
    if (field === "costMarginUsd") return true
    const value = decision[field]
    return typeof value !== "number" || Number.isFinite(value)
  })

/** A decision as it is read, joined with its outcome. */
export interface DecisionRow {
  readonly accountId: AccountId
  readonly recommendationId: RecommendationId
  readonly userId: string | null
  readonly tags: ReadonlyArray<string>
  readonly body: Uint8Array
  /** The task that reports name; it replaces the chain of attempts. */
  readonly reportedTaskKey: string | null
}

/** Columns that only the read of a single decision has. */
export interface DecisionTextRow {
  readonly taskExcerpt: string
  readonly taskVectors: ReadonlyArray<VectorTuple> | null
}

const columnsOf = (fields: ReadonlyArray<string>): string =>
  fields.map((field) => `${snakeCase(field)} as "${field}"`).join(", ")

/** The columns of {@link DecisionRow}, in SQL. */
export const decisionColumns = columnsOf(
  ["recommendationId", "accountId", "userId", "tags", "body", "reportedTaskKey"] satisfies
    ReadonlyArray<keyof DecisionRow>
)

/** The columns of {@link DecisionTextRow}. */
export const textColumns =
  columnsOf(["taskExcerpt", "taskVectors"] satisfies ReadonlyArray<keyof DecisionTextRow>)

/** The field of vectors that stand instead of a task's words. */
export const taskVectorsOf = (
  tuples: ReadonlyArray<VectorTuple> | null
): Pick<Decision, "taskVectors"> =>
  tuples === null
    ? {}
    : { taskVectors: tuples.map(([embedder, scale, vector]) => ({ embedder, scale, vector })) }

/** The decision of a row; null if its body has another layout. If the texts were not read, they are empty. */
export const toDecision = (row: DecisionRow & Partial<DecisionTextRow>): Decision | null => {
  const { accountId, body, recommendationId, tags, taskVectors = null, userId } = row
  const fields = readBody(body)
  return fields === null ? null : {
    ...fields,
    accountId, recommendationId, userId, tags,
    createdAt: timeOf(recommendationId),
    taskExcerpt: row.taskExcerpt ?? "",
    ...taskVectorsOf(taskVectors),
    taskKey: row.reportedTaskKey ?? fields.taskKey
  }
}

/** A decision with its outcomes, as the reports read it. */
export const toLedgerRow = (decision: Decision, outcomes: OutcomesCell): LedgerRow => {
  const {
    accountId: _account, costMarginUsd: _margin, forecasts: _forecasts, neighbours: _neighbours,
    taskExcerpt: _excerpt, taskVectors: _vectors, ...read
  } = decision
  return { decision: read, feedback: reconciliationOf(parsedOutcomes(outcomes)) }
}
