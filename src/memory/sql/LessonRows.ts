/* Reads lessons. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { LaneId } from "../../domain/Scope.ts"
import type { StoredLesson } from "../lessons/StoredLesson.ts"

/** Maximum number of lessons that one read returns. */
const lessonsMax = 1_000

const columns = `l.lesson_id as "lessonId", l.lesson_type as "lessonType", l.scope, l.content, l.cluster,
  l.model_id as "modelId", l.importance, l.confidence, l.occurred_at as "occurredAt", l.topic,
  l.user_id as "userId", case when l.error_fingerprint is not null then json_build_object(
    'fingerprint', l.error_fingerprint, 'errorType', l.error_type, 'headline', l.error_headline,
    'tokens', l.error_tokens) end as error,
  l.base_confidence as "baseConfidence", l.is_superseded as "isSuperseded",
  l.is_reflected as "isReflected", coalesce(r.reinforcement, 0)::float8 as reinforcement`

/** Reads lessons that are not superseded, those of reflections first, and newer ones before older ones. */
export const selectLessons = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId,
  /** Types of lessons to read; empty for all types. */
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

/** Superseded lessons are included, because superseded lessons still state facts. */
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
