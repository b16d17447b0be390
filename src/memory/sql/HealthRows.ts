/* Counts the rows of a lane's memory for the health report. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { LaneId } from "../../domain/Scope.ts"
import type { HealthCounts } from "../Memory.ts"
import { lessonQualityMin, type MemorySettings } from "../MemorySettings.ts"
import { decaySql, reliabilitySql } from "./ReliabilitySql.ts"

/** Reliability and confidence below which outcomes and lessons are counted as doubtful, in [0, 1]. */
export const lowConfidence = 0.5

/** A contradiction is a cluster and model with both success and failure lessons, or with mixed outcomes. */
export const selectHealth = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId,
  { now, settings, staleThresholdDays }: {
    readonly staleThresholdDays: number
    readonly now: Date
    readonly settings: MemorySettings
  }
): Effect.fn.Return<HealthCounts, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const mine = sql`account_id = ${accountId} and lane = ${lane}`
  const age = (column: string) =>
    sql`avg(extract(epoch from ${now}::timestamptz - ${sql(column)}) / 3600)::float8`
  const reliability = reliabilitySql(sql, now, settings)
  const decay = decaySql(sql, now, settings)
  const { supersededShareMax: shareMin } = settings.reflection
  const stale = (table: string) =>
    sql`(select count(*)::int from ${sql(table)} where ${mine}
      and occurred_at < ${now}::timestamptz - ${staleThresholdDays}::float8 * interval '1 day')`
  const sectionHealth = yield* sql<HealthCounts["sectionHealth"][number]>`
    select 'observation' as name, count(*)::int as count, avg(${reliability}) as "averageConfidence",
      ${age("occurred_at")} as "averageAgeHours" from observation where ${mine}
    union all select 'outcome_record', count(*)::int, null, ${age("updated_at")}
      from outcome_record where ${mine}
    union all select 'lesson', count(*)::int, avg(confidence), ${age("occurred_at")} from lesson where ${mine}
    union all select 'step_reward', count(*)::int, null, ${age("occurred_at")} from step_reward where ${mine}`
  const counted = yield* sql<
    { stale: number; contradictions: number; doubted: number; promotable: number }
  >`select
    ${stale("observation")} + ${stale("lesson")} + ${stale("step_reward")} as stale,
    (select count(*)::int from (select cluster, model_id from lesson where ${mine} and not is_superseded
      and (scope = 'run' or topic = 'outcome') group by cluster, model_id
      having count(distinct lesson_type) > 1
      union select cluster, model_id from observation where ${mine} and teaches
      and provenance in ('gate', 'human') and outcome <> 'partial' group by cluster, model_id
      having sum(${decay}) filter (where outcome = 'success') / sum(${decay})
        between ${shareMin}::float8 and ${1 - shareMin}::float8
    ) as c) as contradictions,
    (select count(*)::int from observation where ${mine} and teaches
      and ${reliability} < ${lowConfidence}::float8) + (select count(*)::int from lesson where ${mine}
      and confidence < ${lowConfidence}::float8) as doubted,
    (select count(*)::int from observation o where o.account_id = ${accountId} and o.lane = ${lane}
      and o.teaches
      and o.provenance = 'gate' and o.outcome = 'success' and o.quality >= ${lessonQualityMin}::float8
      and not exists (select 1 from lesson l where l.account_id = o.account_id and l.lane = o.lane
        and l.cluster = o.cluster and l.model_id = o.model_id)) as promotable`
  return {
    entryCounts: Object.fromEntries(sectionHealth.map(({ name, count }) => [name, count])),
    staleEntries: counted[0]?.stale ?? 0,
    contradictions: counted[0]?.contradictions ?? 0,
    lowConfidenceCount: counted[0]?.doubted ?? 0,
    promotionCandidates: counted[0]?.promotable ?? 0,
    sectionHealth
  }
})
