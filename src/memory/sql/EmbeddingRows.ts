/* Selects outcomes that have no vector of an embedder, and inserts vectors. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { LaneId } from "../../domain/Scope.ts"
import { type QuantisedVector, taskVectorOf } from "../index/QuantisedVector.ts"
import { arrayOf, rowSet } from "../../sql/RowSet.ts"
import { takeVersions } from "./LaneVersions.ts"

/** An outcome that teaches but lacks an embedder's vector. `task` is its text; null without a single text. */
interface Unembedded {
  readonly observationId: string
  readonly task: string | null
}

/**
 * Selects outcomes that lack `embedder`'s vector, newest first. A text comes from memory, or from the
 * decision that was made at the time in the outcome's id. If decisions made in the same millisecond have
 * different texts, the decision with the outcome's model and feedback time gives the text.
 */
export const selectUnembedded = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId,
  embedder: string,
  page: { readonly before: string | null; readonly rows: number }
): Effect.fn.Return<ReadonlyArray<Unembedded>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Unembedded>`with unembedded as (
      select o.observation_id, o.task_type, o.difficulty, o.model_id, o.occurred_at, to_timestamp((
        'x' || lpad(left(replace(o.observation_id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint
        / 1000.0::float8) as decided_at
      from observation o
      where o.account_id = ${accountId} and o.lane = ${lane} and o.teaches
        and (${page.before}::uuid is null or o.observation_id < ${page.before}::uuid)
        and not exists (select from observation_vector v where v.account_id = o.account_id
          and v.lane = o.lane and v.observation_id = o.observation_id and v.embedder = ${embedder})
        and (o.import_id is null or exists (select from observation_text t where t.account_id = o.account_id
          and t.lane = o.lane and t.observation_id = o.observation_id))
      order by o.observation_id desc limit ${page.rows}
    )
    select u.observation_id::text as "observationId", coalesce(t.task, d.task) as task
    from unembedded u
    left join observation_text t on t.account_id = ${accountId} and t.lane = ${lane}
      and t.observation_id = u.observation_id
    left join lateral (
      select case
        when count(distinct task_excerpt) filter (where is_meant) = 1
          then min(task_excerpt) filter (where is_meant)
        when count(distinct task_excerpt) = 1 then min(task_excerpt) end as task
      from (
        select nullif(task_excerpt, '') as task_excerpt,
          coalesce(feedback_at = u.occurred_at and chosen_model_id = u.model_id, false) as is_meant
        from decision d join decision_figures f using (account_id, created_at, recommendation_id)
        where d.account_id = ${accountId} and d.created_at = u.decided_at
          and f.account_id = ${accountId} and f.created_at = u.decided_at and f.lane = ${lane}
          and f.cluster in (concat_ws(':', u.task_type, u.difficulty),
            concat_ws(':', u.task_type, u.difficulty, 'run'))
      ) as decided
    ) d on true
    order by u.observation_id desc`
})

export const hasUnembeddedImports = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId,
  embedder: string
): Effect.fn.Return<boolean, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select 1 as one from observation o
    where o.account_id = ${accountId} and o.lane = ${lane} and o.teaches and o.import_id is not null
      and not exists (select from observation_vector v where v.account_id = o.account_id
        and v.lane = o.lane and v.observation_id = o.observation_id and v.embedder = ${embedder})
    limit 1`
  return rows.length > 0
})

const vectorColumns = { observationId: "uuid", embedder: "text", scale: "real", vector: "bytea" } as const

/** Inserts vectors. The outcomes and the lane get a new version, which is returned. */
export const insertEmbedded = Effect.fnUntraced(function*(
  scope: LaneId,
  embedder: string,
  embedded: ReadonlyArray<{ readonly observationId: string; readonly vector: QuantisedVector }>
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const version = yield* takeVersions(scope, 1)
  const given = embedded.map(({ observationId, vector }) =>
    ({ observationId, ...taskVectorOf(embedder, vector) }))
  // An outcome that was deleted after its text was read gets no vector.
  yield* sql`insert into observation_vector (account_id, lane, observation_id, embedder, scale, vector)
    select held.*, given.embedder, given.scale, given.vector
    from ${rowSet(sql, "given", vectorColumns, given)}, lateral (
      select o.account_id, o.lane, o.observation_id from observation o
      where o.account_id = ${scope.accountId} and o.lane = ${scope.lane}
        and o.observation_id = given.observation_id and (o.teaches or o.provenance = 'none') offset 0
    ) as held
    on conflict do nothing`
  const ids = arrayOf(sql, "uuid", given.map(({ observationId }) => observationId))
  yield* sql`update observation set version = ${version} where account_id = ${scope.accountId}
    and lane = ${scope.lane} and observation_id = any(${ids})`
  return version
})
