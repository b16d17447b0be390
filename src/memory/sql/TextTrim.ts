/* Removes texts from rows; their counts and vectors stay. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import type { TaskVector } from "../../domain/text/TaskText.ts"
import { nameOf } from "../../domain/text/Text.ts"
import { rowSet } from "../../sql/RowSet.ts"
import { textSettings } from "../TextSettings.ts"
import type { OnDatabase, TextBucket } from "./TextBuckets.ts"

/** Where a task lies, by embedder; empty where the memory takes words alone. */
export type TaskVectorsOf = (task: string) => ReadonlyArray<TaskVector>

interface TaskRow {
  readonly id: string
  readonly createdAt: string
  /** Null where its outcome has been taught and no more is to be expected. */
  readonly task: string | null
}

/** Tasks embedded in one turn of the event loop. */
const embeddedTogether = 8

/** A task that is still to be taught keeps its vectors. */
const vectorsOf = Effect.fnUntraced(function*(rows: ReadonlyArray<TaskRow>, taskVectorsOf: TaskVectorsOf) {
  const vectors: Array<string | null> = []
  for (const { task } of rows) {
    if (task !== null && vectors.length % embeddedTogether === 0) yield* Effect.yieldNow
    const taskVectors = task === null ? [] : taskVectorsOf(task)
    const tuples = taskVectors.map(({ embedder, scale, vector }) => [embedder, scale, vector])
    vectors.push(tuples.length === 0 ? null : JSON.stringify(tuples))
  }
  return vectors
})

/**
 * Empties the excerpts, and readers' comments, of some decisions of the bucket, oldest first; yields how
 * many. Zero: all are gone.
 * Run it in a transaction of the account.
 */
export const trimTasks = Effect.fnUntraced(function*(
  accountId: AccountId,
  { from, until }: TextBucket,
  taskVectorsOf: TaskVectorsOf
): OnDatabase<number> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<TaskRow>`
    select recommendation_id::text as id, created_at::text as "createdAt",
      case when task_vectors is null and task_excerpt <> ''
        and (feedback_at is null or created_at > now() - interval '7 days') then task_excerpt end as task
    from decision where account_id = ${accountId} and created_at > ${from}::timestamptz
      and created_at <= ${until}::timestamptz
      and (task_excerpt <> '' or vote ->> 'comment' is not null)
    order by created_at limit ${textSettings.trimmedRows} for update`
  if (rows.length > 0) {
    const vectors = yield* vectorsOf(rows, taskVectorsOf)
    const trimmed = rows.map(({ createdAt, id }, at) =>
      ({ id, created_at: createdAt, vectors: vectors[at] ?? null }))
    yield* sql`update decision d
      set task_excerpt = '', task_vectors = coalesce(d.task_vectors, t.vectors::jsonb),
        vote = jsonb_set(d.vote, '{comment}', 'null')
      from ${rowSet(sql, "t", "id uuid, created_at timestamptz, vectors text", trimmed)}
      where d.account_id = ${accountId} and d.recommendation_id = t.id and d.created_at = t.created_at
        and d.created_at = any(${rows.map(({ createdAt }) => createdAt)}::timestamptz[])`
  }
  const texts = yield* sql`delete from observation_text where account_id = ${accountId}
    and (lane, observation_id) in (
      select lane, observation_id from observation_text where account_id = ${accountId}
        and kept_at > ${from}::timestamptz and kept_at <= ${until}::timestamptz
      limit ${textSettings.trimmedRows})
    returning true as gone`
  return rows.length + texts.length
})

const trimSteps = Effect.fnUntraced(function*(accountId: AccountId, { from, until }: TextBucket) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`update step_reward set step_name = null, rationale = null, directive_hint = null
    where account_id = ${accountId} and ctid = any(array(
      select step.ctid from lane l, lateral (
        select ctid from step_reward s where s.account_id = l.account_id and s.lane = l.lane
          and s.occurred_at > ${from}::timestamptz and s.occurred_at <= ${until}::timestamptz
          and num_nonnulls(s.step_name, s.rationale, s.directive_hint) > 0
      ) as step where l.account_id = ${accountId} limit ${textSettings.trimmedRows}))
      and num_nonnulls(step_name, rationale, directive_hint) > 0
    returning true as gone`
  return rows.length
})

interface LessonRow {
  readonly lane: string
  readonly lessonId: string
  readonly cluster: string
  readonly modelId: string
}

/** What is left of a failure's lesson: which model failed at what, and the fingerprint of the error. */
const withoutQuotation = ({ cluster, modelId }: LessonRow): string =>
  `${nameOf(modelId)} failed on a ${cluster} task. What the caller said of it is no longer kept.`

const trimLessons = Effect.fnUntraced(function*(accountId: AccountId, { from, until }: TextBucket) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<LessonRow>`select t.lane, t.lesson_id as "lessonId", t.cluster,
      t.model_id as "modelId"
    from lane l, lateral (
      select * from lesson t where t.account_id = l.account_id and t.lane = l.lane
        and t.lesson_type = 'failure' and t.occurred_at > ${from}::timestamptz
        and t.occurred_at <= ${until}::timestamptz
        and (t.error_headline <> '' or t.topic like 'step:%' and t.content not like '%no longer kept.')
    ) as t where l.account_id = ${accountId} limit ${textSettings.trimmedRows}`
  if (rows.length === 0) return 0
  const trimmed = rows.map((row) =>
    ({ lane: row.lane, lesson_id: row.lessonId, content: withoutQuotation(row) }))
  yield* sql`update lesson l set content = t.content, error_type = null,
      error_headline = case when l.error_headline is null then null else '' end,
      error_tokens = case when l.error_tokens is null then null else '{}'::text[] end
    from ${rowSet(sql, "t", "lane text, lesson_id text, content text", trimmed)}
    where l.account_id = ${accountId} and l.lane = t.lane and l.lesson_id = t.lesson_id`
  return rows.length
})

/** As {@link trimTasks}, of what callers said of steps and failures. */
export const trimOthers = Effect.fnUntraced(function*(
  accountId: AccountId,
  bucket: TextBucket
): OnDatabase<number> {
  return (yield* trimSteps(accountId, bucket)) + (yield* trimLessons(accountId, bucket))
})

/** Takes the words out of some outcomes that wait for another memory, refused ones too. Yields how many. */
export const trimOutbox = Effect.fnUntraced(function*(accountId: AccountId): OnDatabase<number> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`update outbox set body = jsonb_set(body, '{task}', '""')
    where account_id = ${accountId} and outbox_id = any(array(
      select outbox_id from outbox where account_id = ${accountId} and kind = 'teach' and body->>'task' <> ''
      limit ${textSettings.trimmedRows}))
    returning true as gone`
  return rows.length
})
