/* Writes the rows of a batch in one statement. */
import { Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { arrayOf, columnNames, type Columns, type RowOf, rowSet } from "../../sql/RowSet.ts"
import { writeParts } from "../../sql/StatementParts.ts"
import type { FoldRows } from "../fold/FoldState.ts"
import type { Sql } from "./FoldRead.ts"

/** Columns of an outcome that a later revision does not change. */
const firstColumns = {
  lane: "text", observationId: "uuid", taskType: "text", difficulty: "text", cluster: "text", tags: "text[]",
  userId: "text", modelId: "text", importId: "uuid"
} as const

const votesColumns = { votesUp: "int", votesDown: "int", votedUp: "uuid[]", votedDown: "uuid[]" } as const

/** Columns of an outcome that a later revision may change. */
const placedColumns = {
  version: "bigint", revision: "bigint", verdictRevision: "bigint", teaches: "boolean", outcome: "text",
  quality: "float8", provenance: "text", provenanceWeight: "float8", propensity: "float8",
  inputTokens: "float8", outputTokens: "float8", costUsd: "float8", isCostOutlier: "boolean",
  latencyMs: "float8", timeToFirstTokenMs: "float8", occurredAt: "timestamptz", ...votesColumns
} as const

/** Columns of an outcome that must not be null and have no default, except account and version. */
const requiredColumns = `lane, observation_id, teaches, task_type, difficulty, cluster, tags, model_id,
  outcome, quality, provenance, provenance_weight, occurred_at`

const outcomeKey = { lane: "text", observationId: "uuid" } as const
const vectorColumns = { ...outcomeKey, embedder: "text", scale: "real", vector: "bytea" } as const
const voteKey = { ...outcomeKey, actor: "text", day: "date" } as const
const lastColumns = {
  lastCostUsd: "float8", lastInputTokens: "float8", lastOutputTokens: "float8", lastQuality: "float8"
} as const

const recordColumns = {
  lane: "text", cluster: "text", modelId: "text", outcomes: "bigint", reinforcement: "int",
  updatedAt: "timestamptz", ...lastColumns
} as const

const lessonKey = { lane: "text", lessonId: "text" } as const
const lessonColumns = {
  lessonType: "text", scope: "text", topic: "text", content: "text", cluster: "text", modelId: "text",
  userId: "text", errorFingerprint: "text", errorType: "text", errorHeadline: "text", errorTokens: "text[]",
  importance: "float8", baseConfidence: "float8", confidence: "float8", isSuperseded: "boolean",
  isReflected: "boolean", occurredAt: "timestamptz"
} as const

const stepColumns = {
  lane: "text", recommendationId: "text", stepId: "text", stepName: "text", cluster: "text", modelId: "text",
  outcome: "text", signal: "float8", rationale: "text", directiveHint: "text", occurredAt: "timestamptz"
} as const

const replaced = (columns: Columns): string =>
  columnNames(columns).map((name) => `${name} = excluded.${name}`).join(", ")

/** Writes the SQL that sets columns to their new values, but keeps the old value if the new one is null. */
const kept = (columns: Columns): string =>
  columnNames(columns).map((name) => `${name} = coalesce(excluded.${name}, r.${name})`).join(", ")

type Fragments = ReadonlyArray<Statement.Fragment>

const writerOf = (sql: Sql, accountId: string) => {
  const insert = <Of extends Columns>(
    table: string,
    columns: Of,
    rows: ReadonlyArray<RowOf<NoInfer<Of>>>,
    onConflict = "do nothing"
  ): Fragments => {
    if (rows.length === 0) return []
    const names = sql.literal(columnNames(columns).join(", "))
    return [sql`insert into ${sql.literal(table)} as r (account_id, ${names})
      select ${accountId}::text, ${names} from ${rowSet(sql, "given", columns, rows)}
      on conflict ${sql.literal(onConflict)}`]
  }

  /**
   * Deletes rows by their keys. The condition ends with `is true`, because the planner would otherwise expect
   * one row and compare every row with every key.
   */
  const remove = <Id extends string, Of extends Columns & { readonly [Name in Id | "lane"]: string }>(
    table: string,
    id: Id,
    key: Of,
    rows: ReadonlyArray<RowOf<NoInfer<Of>>>
  ): Fragments => {
    if (rows.length === 0) return []
    const names = columnNames(key)
    const [idName = ""] = columnNames({ [id]: "" })
    const all = (field: Id | "lane") => arrayOf(sql, key[field], [...new Set(rows.map((row) => row[field]))])
    return [sql`delete from ${sql.literal(table)} as r
      where r.account_id = ${accountId} and r.lane = any(${all("lane")})
        and r.${sql.literal(idName)} = any(${all(id)})
        and ((${sql.literal(names.map((name) => `r.${name}`).join(", "))}) in (
          select ${sql.literal(names.join(", "))} from ${rowSet(sql, "given", key, rows)})) is true`]
  }
  return { insert, remove }
}
type RowWriter = ReturnType<typeof writerOf>

/**
 * Writes the SQL that updates votes by an insert that always conflicts, so that each row is found by its key.
 * An SQL `update` could read all of an account's outcomes, if PostgreSQL's planner takes them for few.
 */
const votedPart = (sql: Sql, accountId: string, voted: FoldRows["voted"]): Statement.Fragment => {
  const changed = { version: "bigint", ...votesColumns } as const
  const names = columnNames(changed)
  return sql`insert into observation (account_id, ${sql.literal(`${requiredColumns}, ${names.join(", ")}`)})
    select ${accountId}::text, held.*, ${sql.literal(names.map((name) => `given.${name}`).join(", "))}
    from ${rowSet(sql, "given", { ...outcomeKey, ...changed }, voted)}, lateral (
      select ${sql.literal(requiredColumns)} from observation o
      where o.account_id = ${accountId} and o.lane = given.lane and o.observation_id = given.observation_id
      offset 0
    ) as held
    on conflict (account_id, lane, observation_id) do update set ${sql.literal(replaced(changed))}`
}

const outcomeParts = (sql: Sql, accountId: string, { placed, voted }: FoldRows): Fragments => [
  ...writerOf(sql, accountId).insert("observation", { ...firstColumns, ...placedColumns }, placed,
    `(account_id, lane, observation_id) do update set ${replaced(placedColumns)}`),
  ...voted.length === 0 ? [] : [votedPart(sql, accountId, voted)]
]

const contentParts = ({ insert }: RowWriter, { reflections, texts, vectors }: FoldRows): Fragments => [
  ...insert("observation_vector", vectorColumns, vectors),
  ...insert("observation_text", { ...outcomeKey, task: "text" }, texts),
  ...insert("reflection", { ...outcomeKey, crossing: "text" }, reflections)
]

const countParts = (
  { insert, remove }: RowWriter,
  { lanes, records, votes, votesGone }: FoldRows
): Fragments => {
  const updated = records.map(({ updatedAtMs, ...record }) =>
    ({ ...record, updatedAt: Number.isFinite(updatedAtMs) ? new Date(updatedAtMs) : "-infinity" }))
  return [
    ...insert("lane", { lane: "text", version: "bigint", taught: "bigint" }, lanes,
      "(account_id, lane) do update set version = excluded.version, taught = excluded.taught"),
    ...insert("vote", { ...voteKey, votes: "int" }, votes,
      "(account_id, lane, observation_id, actor, day) do update set votes = excluded.votes"),
    ...remove("vote", "observationId", voteKey, votesGone),
    ...insert("outcome_record", recordColumns, updated, `(account_id, lane, cluster, model_id) do update
      set outcomes = r.outcomes + excluded.outcomes, reinforcement = r.reinforcement + excluded.reinforcement,
        updated_at = greatest(r.updated_at, excluded.updated_at), ${kept(lastColumns)}`)
  ]
}

const lessonInserts = ({ insert }: RowWriter, lessons: FoldRows["lessons"]): Fragments =>
  insert("lesson", { ...lessonKey, ...lessonColumns }, lessons.map(({ error, ...lesson }) => ({
    ...lesson,
    errorFingerprint: error?.fingerprint ?? null,
    errorType: error?.errorType ?? null,
    errorHeadline: error?.headline ?? null,
    errorTokens: error?.tokens ?? null
  })), `(account_id, lane, lesson_id) do update set ${replaced(lessonColumns)}`)

const lessonParts = (writer: RowWriter, { lessons, lessonsGone, steps }: FoldRows): Fragments => [
  ...lessonInserts(writer, lessons),
  ...writer.remove("lesson", "lessonId", lessonKey, lessonsGone),
  ...writer.insert("step_reward", stepColumns, steps)
]

export const writeLessons = Effect.fnUntraced(function*(
  accountId: string,
  lessons: FoldRows["lessons"]
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  for (const insert of lessonInserts(writerOf(sql, accountId), lessons)) yield* sql`${insert}`
})

/** All parts of the statement see the state before the statement, so no row may be in two parts. */
export const writeRows = Effect.fnUntraced(function*(
  accountId: string,
  rows: FoldRows
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const writer = writerOf(sql, accountId)
  const parts = [
    ...countParts(writer, rows), ...outcomeParts(sql, accountId, rows), ...contentParts(writer, rows),
    ...lessonParts(writer, rows)
  ]
  yield* writeParts(parts.map((part, i) => sql`${sql.literal(`part_${i}`)} as (${part})`))
})
