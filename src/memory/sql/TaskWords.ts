/* Removes the stored task texts of accounts that may not store them. Counts and vectors stay. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AccountId } from "../../domain/Scope.ts"
import type { TaskText } from "../../domain/text/TaskText.ts"
import { acrossAccounts, type OnDatabase, withAccount } from "../../sql/AccountScope.ts"
import { rowSet } from "../../sql/RowSet.ts"
import { retryTransient } from "../../sql/Transient.ts"
import { textSettings } from "../TextSettings.ts"
import { lexicalVectorOf } from "./ObservationVectors.ts"

interface TaskRow {
  readonly id: string
  /** Time of the decision, as PostgreSQL writes it. */
  readonly createdAt: string
  /** The text to embed; null if the decision has vectors, or is over 7 days old and has an outcome. */
  readonly task: string | null
}

const vectorsOf = (task: string): string => {
  const { embedder, scale, vector } = lexicalVectorOf(task)
  return JSON.stringify([[embedder, scale, vector]])
}

/** Empties a batch of the oldest task texts. A text that teaching may still need becomes a vector. */
const emptyExcerpts = Effect.fnUntraced(function*(
  accountId: AccountId,
  since: string
): OnDatabase<ReadonlyArray<TaskRow>> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<TaskRow>`
    select recommendation_id::text as id, created_at::text as "createdAt",
      case when task_vectors is null
        and (created_at > now() - interval '7 days' or not exists (select from outcome o
          where o.account_id = decision.account_id and o.created_at = decision.created_at
            and o.recommendation_id = decision.recommendation_id)) then task_excerpt end as task
    from decision
    where account_id = ${accountId} and created_at >= ${since}::timestamptz and task_excerpt <> ''
    order by created_at limit ${textSettings.emptiedRows} for update`
  if (rows.length === 0) return rows
  // Other fibers may run between two vectors, because making a vector takes a while.
  const emptied = yield* Effect.forEach(rows, ({ createdAt, id, task }) =>
    Effect.map(Effect.yieldNow, () =>
      ({ id, createdAt, vectors: task === null ? null : vectorsOf(task) })))
  yield* sql`update decision d
    set task_excerpt = '', task_vectors = coalesce(d.task_vectors, t.vectors::jsonb)
    from ${rowSet(sql, "t", { id: "uuid", createdAt: "timestamptz", vectors: "text" }, emptied)}
    where d.account_id = ${accountId} and d.recommendation_id = t.id and d.created_at = t.created_at
      and d.created_at = any(${rows.map(({ createdAt }) => createdAt)}::timestamptz[])`
  return rows
})

/** SQL condition that a report has writes with a task text which are waiting or were refused. */
const hasWords = `jsonb_path_exists(coalesce(writes, '[]') || coalesce(refused, '[]'),
  '$[*].body.task ? (@ != "")')`

/** Writes the SQL that empties the task texts in a column's list of writes, or keeps its null. */
const wordless = (column: string): string =>
  `(select jsonb_agg(case when write #>> '{body,task}' <> '' then jsonb_set(write, '{body,task}', '""')
    else write end order by place) from jsonb_array_elements(${column}) with ordinality as w (write, place))`

const removeOthers = Effect.fnUntraced(function*(accountId: AccountId): OnDatabase<number> {
  const sql = yield* SqlClient.SqlClient
  const [gone] = yield* sql<{ readonly rows: number }>`with kept as (
      delete from observation_text where account_id = ${accountId} returning 1
    ), waiting as (
      update report set writes = ${sql.literal(wordless("writes"))},
        refused = ${sql.literal(wordless("refused"))}
      where account_id = ${accountId} and ${sql.literal(hasWords)} returning 1
    ) select ((select count(*) from kept) + (select count(*) from waiting))::int as rows`
  return gone?.rows ?? 0
})

/** Returns the number of rows that lost a text. */
export const removeWords = Effect.fnUntraced(function*(accountId: AccountId): OnDatabase<number> {
  const own = <A>(work: Effect.Effect<A, SqlError.SqlError, SqlClient.SqlClient>) =>
    work.pipe(withAccount(accountId), retryTransient)
  let removed = yield* own(removeOthers(accountId))
  for (let since: string | undefined = "-infinity"; since !== undefined;) {
    const rows: ReadonlyArray<TaskRow> = yield* own(emptyExcerpts(accountId, since))
    removed += rows.length
    since = rows.at(-1)?.createdAt
  }
  return removed
})

/**
 * Removes the task texts of every account that may not store them, by its own setting or by the service's
 * setting `taskText`. `removeUnwanted` must run as the owner of the tables.
 */
export const removeUnwanted = Effect.fnUntraced(function*(taskText: TaskText): OnDatabase<void> {
  const sql = yield* SqlClient.SqlClient
  const isNone = taskText === "none"
  const accounts = yield* sql.withTransaction(Effect.andThen(acrossAccounts, sql<{ readonly id: string }>`
    select account_id as id from account_setting where task_text = 'none'
    union select account_id from decision where ${isNone} and task_excerpt <> ''
    union select account_id from observation_text where ${isNone}
    union select account_id from report where ${isNone} and ${sql.literal(hasWords)}`))
  let tasks = 0
  for (const { id } of accounts) tasks += yield* removeWords(AccountId.make(id))
  if (tasks > 0) yield* Effect.logInfo("Removed the words of tasks that are not to be kept", { tasks })
})
