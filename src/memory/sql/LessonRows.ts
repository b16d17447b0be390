/* The rows of lessons and of step rewards: inserts them, and reads lessons. */
import { type Array as Arr, Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { LaneId } from "../../domain/Scope.ts"
import { batchWrites } from "../../sql/BatchWrites.ts"
import { rowSet, wellFormedJson } from "../../sql/RowSet.ts"
import { type StoredLesson, keptOf } from "../lessons/StoredLesson.ts"
import type { NewLesson, StepRewards } from "../MemoryWrite.ts"

/** Most lessons that one read looks at. */
const lessonsMax = 1_000

const Row = Schema.Struct({
  lessonId: Schema.String,
  lessonType: Schema.Literals(["success", "failure"]),
  scope: Schema.Literals(["run", "session", "account"]),
  content: Schema.String,
  cluster: Schema.String,
  modelId: Schema.String,
  importance: Schema.Finite,
  confidence: Schema.Finite,
  occurredAt: Schema.Date,
  topic: Schema.String,
  userId: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.Struct({
    fingerprint: Schema.String,
    errorType: Schema.NullOr(Schema.String),
    headline: Schema.String,
    tokens: Schema.Array(Schema.String)
  })),
  baseConfidence: Schema.Finite,
  isSuperseded: Schema.Boolean,
  isReflected: Schema.Boolean,
  reinforcement: Schema.Finite
})
const isLesson = Schema.is(Row)

const columns = `l.lesson_id as "lessonId", l.lesson_type as "lessonType", l.scope, l.content, l.cluster,
  l.model_id as "modelId", l.importance, l.confidence, l.occurred_at as "occurredAt", l.topic,
  l.user_id as "userId", case when l.error_fingerprint is not null then json_build_object(
    'fingerprint', l.error_fingerprint, 'errorType', l.error_type, 'headline', l.error_headline,
    'tokens', l.error_tokens) end as error,
  l.base_confidence as "baseConfidence", l.is_superseded as "isSuperseded",
  l.is_reflected as "isReflected", coalesce(r.reinforcement, 0)::float8 as reinforcement`

/** The outcome that a lesson bears the id of, if it can be one's. */
const outcomeIdOf = (lessonId: string): string | null =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(lessonId) ? lessonId : null

/** A lesson as its row. */
export const lessonRow = (lesson: NewLesson) => {
  const { error, ...kept } = keptOf(lesson)
  return {
    lesson_id: kept.lessonId,
    lane: lesson.lane,
    lesson_type: kept.lessonType,
    scope: kept.scope,
    content: kept.content,
    cluster: kept.cluster,
    model_id: kept.modelId,
    importance: kept.importance,
    confidence: kept.confidence,
    base_confidence: kept.baseConfidence,
    occurred_at: kept.occurredAt,
    topic: kept.topic,
    user_id: kept.userId,
    error_fingerprint: error?.fingerprint ?? null,
    error_type: error?.errorType ?? null,
    error_headline: error?.headline ?? null,
    error_tokens: error?.tokens ?? null,
    revision: lesson.revision ?? 0,
    outcome_id: outcomeIdOf(kept.lessonId)
  }
}

/**
 * Keeps a lesson, by `keep_lessons`; one with the same id is kept once. One that came with a
 * label is not kept when its outcome has another by now.
 */
export const insertLesson = batchWrites(Effect.fnUntraced(function*(
  lessons: Arr.NonEmptyReadonlyArray<NewLesson>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select keep_lessons(${lessons[0].accountId},
    ${wellFormedJson(lessons.map(lessonRow))}::text::json)`
  return () => {}
}))

const readable = Effect.fnUntraced(function*(lane: string, rows: ReadonlyArray<unknown>) {
  const lessons = rows.filter(isLesson)
  if (lessons.length < rows.length) {
    yield* Effect.logWarning("Skipped unreadable lessons").pipe(
      Effect.annotateLogs({ lane, unreadable: rows.length - lessons.length })
    )
  }
  return lessons
})

/** The lane's lessons that stand, what reflection wrote and then the newest; all types when none is named. */
export const selectLessons = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId,
  lessonTypes: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<StoredLesson>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  return yield* readable(lane, yield* sql`select ${sql.literal(columns)}
    from lesson l
    left join outcome_record r using (account_id, lane, cluster, model_id)
    where l.account_id = ${accountId} and l.lane = ${lane} and not l.is_superseded
      and (${lessonTypes.length === 0}::boolean or l.lesson_type = any(${lessonTypes}::text[]))
    order by l.is_reflected desc, l.occurred_at desc, l.lesson_id
    limit ${lessonsMax}`)
})

/** The lane's newest failure lessons, of each error the newest; overruled ones are facts too. */
export const selectFailures = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId,
  userId: string | null
): Effect.fn.Return<ReadonlyArray<StoredLesson>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  return yield* readable(lane, yield* sql`select ${sql.literal(columns)}
    from (
      select distinct on (coalesce(error_fingerprint, lesson_id), cluster, model_id, scope) *
      from lesson
      where account_id = ${accountId} and lane = ${lane} and lesson_type = 'failure'
        and (topic = 'outcome' or error_fingerprint is not null)
        and (${userId}::text is null or user_id is null or user_id = ${userId})
      order by coalesce(error_fingerprint, lesson_id), cluster, model_id, scope, occurred_at desc
    ) l
    left join outcome_record r using (account_id, lane, cluster, model_id)
    order by l.occurred_at desc, l.lesson_id
    limit ${lessonsMax}`)
})

const stepColumns =
  "step_id text, step_name text, outcome text, signal float8, rationale text, directive_hint text"

/**
 * Keeps the steps of one recommendation; a step repeated for the same model keeps its first reward. Answers
 * how many are new.
 */
export const insertSteps = Effect.fnUntraced(function*(
  { accountId, lane, recommendationId, cluster, modelId, steps, occurredAt }: StepRewards
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows = steps.map((step) => ({
    step_id: step.stepId,
    step_name: step.stepName,
    outcome: step.outcome,
    signal: step.signal,
    rationale: step.rationale,
    directive_hint: step.directiveHint
  }))
  const kept = yield* sql`insert into step_reward (account_id, lane, recommendation_id, step_id, step_name,
      cluster, model_id, outcome, signal, rationale, directive_hint, occurred_at)
    select ${accountId}::text, ${lane}::text, ${recommendationId}::text, step_id, step_name, ${cluster}::text,
      ${modelId}::text, outcome, signal, rationale, directive_hint, ${occurredAt}::timestamptz
    from ${rowSet(sql, "step", stepColumns, rows)}
    on conflict do nothing
    returning step_id`
  return kept.length
})
