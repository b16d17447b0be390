/* Reads the facts of a lane for a reflection, and writes its lessons. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { ResolvedLesson, WeighedLesson } from "../lessons/Contradictions.ts"
import type { ErrorCell, LaneFacts, OutcomeCell, StepCell } from "../lessons/LaneFacts.ts"
import type { StoredLesson } from "../lessons/StoredLesson.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import { writeLessons } from "./FoldWrite.ts"
import { decaySql, reliabilitySql } from "./ReliabilitySql.ts"

/** A lane's key, with the account's id as a plain string. */
export interface LaneName {
  readonly accountId: string
  readonly lane: string
}

/**
 * Sums the lane's newest outcomes, and those of its session. The newest outcomes have the highest ids,
 * because an id begins with a time.
 */
const selectCells = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  settings: MemorySettings,
  now: Date
) {
  const sql = yield* SqlClient.SqlClient
  const { outcomesMax, sessionOutcomes } = settings.reflection
  const cells = yield* sql<OutcomeCell & { readonly isSession: boolean }>`with newest as materialized (
      select cluster, model_id, outcome, quality, provenance, cost_usd,
        provenance_weight * ${reliabilitySql(sql, now, settings)} * ${decaySql(sql, now, settings)} as weight,
        occurred_at, observation_id
      from observation
      where account_id = ${accountId} and lane = ${lane} and teaches
      order by observation_id desc
      limit ${outcomesMax}
    )
    select cluster, model_id as "modelId", is_session as "isSession", count(*)::int as outcomes,
      count(*) filter (where outcome = 'success')::int as successes,
      count(*) filter (where provenance = 'gate')::int as gated,
      count(*) filter (where provenance = 'gate' and outcome = 'success')::int as "gatedSuccesses",
      sum(weight) as weight, sum(weight * quality) as success, avg(cost_usd) as "costUsd",
      extract(epoch from max(occurred_at))::float8 * 1000 as "newestMs"
    from (
      select *, false as is_session from newest
      union all
      (select *, true from newest order by occurred_at desc, observation_id desc limit ${sessionOutcomes})
    ) as parts
    group by cluster, model_id, is_session
    order by cluster, model_id`
  const part = (wanted: boolean): ReadonlyArray<OutcomeCell> =>
    cells.filter(({ isSession }) => isSession === wanted)
  return { account: part(false), session: part(true) }
})

const selectSteps = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  { outcomesMax, stepSupportMin }: MemorySettings["reflection"]
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<StepCell>`select cluster, model_id as "modelId", step_id as "stepId",
      count(*)::int as times, count(*) filter (where signal < 0)::int as failures,
      coalesce(
        (array_agg(directive_hint order by occurred_at desc)
          filter (where signal < 0 and directive_hint is not null))[1],
        (array_agg(rationale order by occurred_at desc)
          filter (where signal < 0 and rationale is not null))[1]
      ) as said,
      extract(epoch from max(occurred_at))::float8 * 1000 as "newestMs"
    from (
      select * from step_reward where account_id = ${accountId} and lane = ${lane} and signal >= -1
      order by occurred_at desc
      limit ${outcomesMax}
    ) as newest
    group by cluster, model_id, step_id
    having count(*) >= ${stepSupportMin}`
})

const selectErrors = Effect.fnUntraced(function*({ accountId, lane }: LaneName, least: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<ErrorCell>`select cluster, model_id as "modelId", user_id as "userId",
      count(*)::int as times, avg(base_confidence) as confidence,
      (array_agg(json_build_object('fingerprint', error_fingerprint, 'errorType', error_type,
        'headline', error_headline, 'tokens', error_tokens) order by occurred_at desc))[1] as error,
      extract(epoch from max(occurred_at))::float8 * 1000 as "newestMs"
    from lesson
    where account_id = ${accountId} and lane = ${lane} and scope = 'run' and lesson_type = 'failure'
      and error_fingerprint is not null and not is_reflected
    group by cluster, model_id, user_id, error_fingerprint
    having count(*) >= ${least}`
})

export const selectFacts = Effect.fnUntraced(function*(
  lane: LaneName,
  settings: MemorySettings,
  now: Date
): Effect.fn.Return<LaneFacts, SqlError.SqlError, SqlClient.SqlClient> {
  const { reflection } = settings
  return {
    ...(yield* selectCells(lane, settings, now)),
    steps: yield* selectSteps(lane, reflection),
    errors: yield* selectErrors(lane, reflection.errorRecurrencesMin)
  }
})

export const replaceReflected = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  lessons: ReadonlyArray<StoredLesson>
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const ids = lessons.map(({ lessonId }) => lessonId)
  yield* sql`delete from lesson where account_id = ${accountId} and lane = ${lane} and is_reflected
    and not lesson_id = any(${ids}::text[])`
  yield* writeLessons(accountId, lessons.map((lesson) => ({ ...lesson, lane })))
})

export const selectWeighed = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName
): Effect.fn.Return<ReadonlyArray<WeighedLesson>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<WeighedLesson>`select lesson_id as "lessonId", lesson_type as "lessonType", scope, topic,
      cluster, model_id as "modelId", base_confidence as "baseConfidence"
    from lesson where account_id = ${accountId} and lane = ${lane}`
})

export const updateStandings = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  standings: ReadonlyArray<ResolvedLesson>
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  if (standings.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`update lesson l set confidence = s.confidence, is_superseded = s."isSuperseded"
    from jsonb_to_recordset(${JSON.stringify(standings)}::text::jsonb)
      as s ("lessonId" text, confidence float8, "isSuperseded" boolean)
    where l.account_id = ${accountId} and l.lane = ${lane} and l.lesson_id = s."lessonId"
      and (l.confidence, l.is_superseded) is distinct from (s.confidence, s."isSuperseded")`
})

/** Deletes old lessons of run scope, but keeps lessons longer if no newer lesson repeats them. */
export const pruneRunLessons = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  { runLessonsKept, runLessonsMax }: MemorySettings["reflection"]
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  // The ids are passed as an array, because with a join the database ranked the lessons again for each row.
  yield* sql`delete from lesson where account_id = ${accountId} and lane = ${lane} and lesson_id = any(array(
      select lesson_id from (
        select lesson_id,
          row_number() over (partition by lesson_type order by occurred_at desc, lesson_id) as rank,
          row_number() over (partition by lesson_type, cluster, model_id, user_id, error_fingerprint
            order by occurred_at desc, lesson_id) as occurrence
        from lesson where account_id = ${accountId} and lane = ${lane} and scope = 'run'
      ) as ranked
      where rank > ${runLessonsKept} and (occurrence > 1 or rank > ${runLessonsMax})
    ))`
})

/** Deletes the counts of votes from before yesterday, which daily limits no longer need. */
export const forgetVotes = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  now: Date
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from vote where account_id = ${accountId} and lane = ${lane}
    and votes > 0 and day < (${now}::timestamptz at time zone 'UTC')::date - 1`
})
