import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { LaneScope, NewLesson, StepRewards } from "./Memory.ts"
import type { KeptLesson } from "./Strategies.ts"

/** Newest lessons of a type that are read to be grouped or matched; older ones say what these say. */
const lessonsMax = 1_000

const isLesson = Schema.is(Schema.Struct({
  lessonId: Schema.String,
  lessonType: Schema.Literals(["success", "failure"]),
  scope: Schema.Literals(["run", "session", "account"]),
  content: Schema.String,
  cluster: Schema.String,
  modelId: Schema.String,
  importance: Schema.Finite,
  confidence: Schema.Finite,
  occurredAt: Schema.Date,
  reinforcement: Schema.Finite
}))

/** Keeps a lesson; one with the same id is kept once. */
export const insertLesson = Effect.fnUntraced(function*(
  lesson: NewLesson
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into lesson (account_id, lane, lesson_id, lesson_type, scope, content, cluster, model_id,
      importance, confidence, occurred_at)
    values (${lesson.caller.accountId}, ${lesson.lane}, ${lesson.lessonId}, ${lesson.lessonType},
      ${lesson.scope},
      ${lesson.content}, ${lesson.cluster}, ${lesson.modelId}, ${lesson.importance}, ${lesson.confidence},
      ${lesson.occurredAt})
    on conflict do nothing`
})

/** The lane's newest lessons; all types when `lessonTypes` is empty. */
export const selectLessons = Effect.fnUntraced(function*(
  { caller: { accountId }, lane }: LaneScope,
  lessonTypes: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<KeptLesson>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows: ReadonlyArray<unknown> = yield* sql`select l.lesson_id as "lessonId",
      l.lesson_type as "lessonType",
      l.scope, l.content, l.cluster, l.model_id as "modelId", l.importance, l.confidence,
      l.occurred_at as "occurredAt", coalesce(r.reinforcement, 0)::float8 as reinforcement
    from lesson l
    left join outcome_record r using (account_id, lane, cluster, model_id)
    where l.account_id = ${accountId} and l.lane = ${lane}
      and (${lessonTypes.length === 0}::boolean or l.lesson_type = any(${lessonTypes}::text[]))
    order by l.occurred_at desc, l.lesson_id
    limit ${lessonsMax}`
  const lessons = rows.filter(isLesson)
  if (lessons.length < rows.length) {
    yield* Effect.logWarning("Skipped unreadable lessons").pipe(
      Effect.annotateLogs({ lane, unreadable: rows.length - lessons.length })
    )
  }
  return lessons
})

/**
 * Keeps the steps of one recommendation; a step repeated for the same model keeps its first reward. Answers
 * how many are new.
 */
export const insertSteps = Effect.fnUntraced(function*(
  { caller: { accountId }, lane, recommendationId, cluster, modelId, steps, occurredAt }: StepRewards
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const kept = yield* Effect.forEach(steps, (step) =>
    sql`insert into step_reward (account_id, lane, recommendation_id, step_id, step_name, cluster, model_id,
        outcome,
        signal, rationale, directive_hint, occurred_at)
      values (${accountId}, ${lane}, ${recommendationId}, ${step.stepId}, ${step.stepName}, ${cluster},
        ${modelId},
        ${step.outcome}, ${step.signal}, ${step.rationale}, ${step.directiveHint}, ${occurredAt})
      on conflict do nothing
      returning step_id`)
  return kept.flat().length
})
