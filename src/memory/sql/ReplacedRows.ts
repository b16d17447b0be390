/* Replaces outcomes that come again with a higher revision: every sum then counts the newer one only. */
import { Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { rowSet } from "../../sql/RowSet.ts"

type OutcomeRows = Parameters<typeof rowSet>[3]

/** The rows, named `given`, of a higher revision than the stored outcome of the same id, named `old`. */
const newer = (
  sql: SqlClient.SqlClient,
  accountId: string,
  columns: string,
  rows: OutcomeRows
): Statement.Fragment =>
  sql`${rowSet(sql, "given", columns, rows)} join observation old using (lane, observation_id)
    where old.account_id = ${accountId} and old.revision < given.revision`

/**
 * Deletes what came with labels that are replaced: their votes, which no longer count toward the actor's most
 * of the day, and their lessons. The caller holds the lanes' versions and has not updated the outcomes yet.
 */
const takeBack = Effect.fnUntraced(function*(accountId: string, columns: string, rows: OutcomeRows) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`with relabelled as (
    select old.lane, old.observation_id, given.version, coalesce(old.user_id, '') as actor,
      (old.occurred_at at time zone 'UTC')::date as day
    from ${newer(sql, accountId, columns, rows)} and old.verdict_revision < given.verdict_revision
  ), cast_votes as (
    select o.lane, o.version, o.actor, o.day, e.entry, e.up, e.down
    from relabelled o
    join reinforcement r on r.account_id = ${accountId} and r.lane = o.lane
      and r.reinforcement_id = o.observation_id,
    lateral (
      select unnest(r.voted_up) as entry, 1 as up, 0 as down
      union all select unnest(r.voted_down), 0, 1
    ) as e
  ), fewer as (
    select lane, entry, actor, day, count(*)::int as votes from cast_votes group by lane, entry, actor, day
  ), used_up as (
    delete from vote v using fewer f where v.account_id = ${accountId} and v.lane = f.lane
      and v.observation_id = f.entry and v.actor = f.actor and v.day = f.day and v.votes <= f.votes
  ), lowered as (
    update vote v set votes = v.votes - f.votes from fewer f where v.account_id = ${accountId}
      and v.lane = f.lane and v.observation_id = f.entry and v.actor = f.actor and v.day = f.day
      and v.votes > f.votes
  ), per_entry as (
    select lane, entry, max(version) as version, sum(up)::int as up, sum(down)::int as down
    from cast_votes group by lane, entry
  ), entries as (
    update observation o set votes_up = o.votes_up - p.up, votes_down = o.votes_down - p.down,
      version = p.version
    from per_entry p
    where o.account_id = ${accountId} and o.lane = p.lane and o.observation_id = p.entry
    returning o.lane, o.cluster, o.model_id, p.up
  ), records as (
    update outcome_record r set reinforcement = r.reinforcement - c.votes
    from (
      select lane, cluster, model_id, sum(up)::int as votes from entries group by lane, cluster, model_id
    ) c
    where r.account_id = ${accountId} and r.lane = c.lane and r.cluster = c.cluster
      and r.model_id = c.model_id
  ), forgotten as (
    delete from reinforcement r using relabelled o where r.account_id = ${accountId} and r.lane = o.lane
      and r.reinforcement_id = o.observation_id
  )
  delete from lesson l using relabelled o where l.account_id = ${accountId} and l.lane = o.lane
    and l.lesson_id = o.observation_id::text`
})

/** The difference that one measurement makes to its sum and its count. */
const measured = (column: string): string =>
  `sum(coalesce(given.${column}, 0) - coalesce(old.${column}, 0)) as ${column},
      sum((given.${column} is not null)::int - (old.${column} is not null)::int) as ${column}_count`

const measurements = ["cost_usd", "input_tokens", "output_tokens", "latency_ms"]

/** The value of a column in the last row that satisfies `where`. */
const last = (column: string, where: string): string =>
  `(array_agg(given.${column} order by given.position desc) filter (where ${where}))[1] as last_${column}`

const lasts = [
  last("quality", "given.teaches"),
  ...["cost_usd", "input_tokens", "output_tokens"].map((column) =>
    last(column, `given.${column} is not null`))
]

/** Adds the difference to a sum; rounding must not make the sum negative. */
const added = (column: string): string => `${column} = greatest(0, r.${column} + d.${column})`

const recordAssignments = [
  "taught = r.taught + d.taught",
  "successes = r.successes + d.successes",
  added("quality_sum"),
  added("weight_sum"),
  ...measurements.flatMap((column) => [
    `${column}_sum = greatest(0, r.${column}_sum + d.${column})`,
    `${column}_count = r.${column}_count + d.${column}_count`
  ]),
  ...["cost_usd", "input_tokens", "output_tokens", "quality"].map((column) =>
    `last_${column} = coalesce(d.last_${column}, r.last_${column})`),
  "updated_at = greatest(r.updated_at, d.updated_at)"
].join(", ")

const outcomeColumns = ["version", "teaches", "outcome", "quality", "provenance", "provenance_weight",
  "propensity", "input_tokens", "output_tokens", "cost_usd", "latency_ms", "time_to_first_token_ms",
  "occurred_at", "revision", "verdict_revision", "is_cost_outlier"
].map((column) => `${column} = given.${column}`).join(", ")

/**
 * Replaces stored outcomes by rows of the same id and a higher revision, in the sums of their records and the
 * lane's count too; other rows change nothing. The caller holds the lanes' versions, so that no other
 * transaction writes to the lanes meanwhile.
 *
 * @param columns names and types of the columns of `rows`, as `rowSet` takes them
 * @param rows outcomes as `ObservationWrites` spells them
 */
export const replaceObservations = Effect.fnUntraced(function*(
  accountId: string,
  columns: string,
  rows: OutcomeRows
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ readonly isRelabelled: boolean }>`
    select old.verdict_revision < given.verdict_revision as "isRelabelled"
    from ${newer(sql, accountId, columns, rows)}`
  if (found.length === 0) return
  if (found.some(({ isRelabelled }) => isRelabelled)) yield* takeBack(accountId, columns, rows)
  yield* sql`with changes as (
    select given.*,
      given.teaches and not old.teaches as begins,
      given.teaches and given.provenance = 'gate' and given.outcome = 'failure'
        and old.verdict_revision < given.verdict_revision as is_gate_failure
    from ${newer(sql, accountId, columns, rows)}
  ), deltas as (
    select old.lane, old.cluster, old.model_id, sum(given.teaches::int - old.teaches::int) as taught,
      sum((given.teaches and given.outcome = 'success')::int
        - (old.teaches and old.outcome = 'success')::int) as successes,
      sum(given.teaches::int * given.quality * given.provenance_weight
        - old.teaches::int * old.quality * old.provenance_weight) as quality_sum,
      sum(given.teaches::int * given.provenance_weight
        - old.teaches::int * old.provenance_weight) as weight_sum,
      ${sql.literal(measurements.map(measured).join(", "))}, ${sql.literal(lasts.join(", "))},
      max(given.occurred_at) as updated_at
    from ${newer(sql, accountId, columns, rows)}
    group by old.lane, old.cluster, old.model_id
  ), replaced as (
    update observation o set ${sql.literal(outcomeColumns)} from changes given
    where o.account_id = ${accountId} and o.lane = given.lane and o.observation_id = given.observation_id
  ), placed as (
    insert into observation_vector (account_id, lane, observation_id, embedder, scale, vector)
    select ${accountId}::text, lane, observation_id, embedder, scale, decode(vector, 'base64')
    from changes where vector is not null
    on conflict do nothing
  ), records as (
    update outcome_record r set ${sql.literal(recordAssignments)} from deltas d
    where r.account_id = ${accountId} and r.lane = d.lane and r.cluster = d.cluster
      and r.model_id = d.model_id
  ), counted as (
    update lane set taught = lane.taught + d.taught
    from (select lane, sum(taught) as taught from deltas group by lane) d
    where lane.account_id = ${accountId} and lane.lane = d.lane
    returning lane.lane, lane.taught - d.taught as before
  ), numbered as (
    select c.*,
      counted.before + sum(c.begins::int) over (partition by c.lane order by c.position) as lane_taught
    from changes c join counted using (lane)
  )
  insert into reflection (account_id, lane, crossing, observation_id)
  select ${accountId}::text, lane, crossing, observation_id
  from numbered, lateral (values
    ('taught:' || lane_taught || ':' || observation_id, begins and lane_taught % reflection_every = 0),
    ('gate:' || observation_id, is_gate_failure)
  ) as cause (crossing, is_cause)
  where is_cause
  on conflict do nothing`
})
