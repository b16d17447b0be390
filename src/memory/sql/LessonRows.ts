/* Lessons and step rewards as rows, and the reading of lessons. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { LaneId } from "../../domain/Scope.ts"
import { type StoredLesson, keptOf } from "../lessons/StoredLesson.ts"
import type { NewLesson, StepRewards } from "../MemoryWrite.ts"

/** Most lessons that one read looks at. */
const lessonsMax = 1_000

/** The columns of a {@link StoredLesson}. */
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

/** Each step as the row of its statement. */
export const stepRows = ({ cluster, lane, modelId, occurredAt, recommendationId, steps }: StepRewards) =>
  steps.map((step) => ({
    lane,
    recommendation_id: recommendationId,
    step_id: step.stepId,
    step_name: step.stepName,
    cluster,
    model_id: modelId,
    outcome: step.outcome,
    signal: step.signal,
    rationale: step.rationale,
    directive_hint: step.directiveHint,
    occurred_at: occurredAt
  }))

/** The lane's lessons that stand, what reflection wrote and then the newest; all types when none is named. */
export const selectLessons = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId,
  lessonTypes: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<StoredLesson>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<StoredLesson>`select ${sql.literal(columns)}
    from lesson l
    left join outcome_record r using (account_id, lane, cluster, model_id)
    where l.account_id = ${accountId} and l.lane = ${lane} and not l.is_superseded
      and (${lessonTypes.length === 0}::boolean or l.lesson_type = any(${lessonTypes}::text[]))
    order by l.is_reflected desc, l.occurred_at desc, l.lesson_id
    limit ${lessonsMax}`
})

/** The lane's newest failure lessons, of each error the newest; overruled ones are facts too. */
export const selectFailures = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId,
  userId: string | null
): Effect.fn.Return<ReadonlyArray<StoredLesson>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<StoredLesson>`select ${sql.literal(columns)}
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
    limit ${lessonsMax}`
})
