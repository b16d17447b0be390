/* Votes of feedbacks on past outcomes, as rows. */
import { type Array as Arr, Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { batchWrites } from "../../sql/BatchWrites.ts"
import { rowSet } from "../../sql/RowSet.ts"
import { agreementWidth, reliabilityAt } from "../index/Entry.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { Reinforced, Reinforcement } from "../MemoryWrite.ts"
import type { LaneName } from "./ReflectionRows.ts"

/** An outcome after the vote on it, or as it was where nothing was voted. */
interface EntryRow {
  readonly id: string
  readonly votesUp: number
  readonly votesDown: number
  readonly occurredAtMs: number
  readonly isVotedUp: boolean
}

/** A reinforcement with what its statement needs. */
interface NewVotes {
  readonly reinforcement: Reinforcement
  /** UUIDs of the outcomes to vote on, each once. */
  readonly entryIds: ReadonlyArray<string>
  /** The version of the lane that this transaction holds. */
  readonly version: number
  readonly nowMs: number
  readonly settings: MemorySettings
}

/** The answer to one reinforcement, with its entries in the order of `entryIds`. */
const reinforcedOf = (
  rows: ReadonlyArray<EntryRow>,
  { entryIds, nowMs, settings }: NewVotes
): Reinforced => {
  const known = new Map(rows.map((row) => [row.id, row]))
  const found = entryIds.flatMap((id) => known.get(id.toLowerCase()) ?? [])
  const reliability = found.reduce((sum, row) => sum + reliabilityAt(row, nowMs, settings), 0)
  return {
    entryIds: found.filter(({ isVotedUp }) => isVotedUp).map(({ id }) => id),
    updatedConfidence: found.length === 0 ? null : reliability / found.length
  }
}

const columns = `position int, lane text, reinforcement_id uuid, actor text, occurred_at timestamptz,
  quality float8, version bigint, votes_max int, entry_ids uuid[], revision bigint`

const rowOf = (
  { entryIds, reinforcement, settings, version }: NewVotes,
  position: number
) => ({
  position,
  lane: reinforcement.lane,
  reinforcement_id: reinforcement.reinforcementId ?? null,
  actor: reinforcement.userId ?? "",
  occurred_at: reinforcement.occurredAt,
  quality: reinforcement.quality,
  version,
  votes_max: settings.votesPerDayMax,
  entry_ids: entryIds,
  revision: reinforcement.revision ?? 0
})

/**
 * The opening of the statement: `given`, a row for each reinforcement, and `asked`, a row for each outcome
 * that it names and the lane has, with whether the outcome's quality agrees.
 */
const askedVotes = (
  sql: SqlClient.SqlClient,
  accountId: string,
  items: Arr.NonEmptyReadonlyArray<NewVotes>
): Statement.Fragment =>
  sql`with given as (
    select given.*, (occurred_at at time zone 'UTC')::date as day, (
      select voted_up from reinforcement r where r.account_id = ${accountId} and r.lane = given.lane
        and r.reinforcement_id = given.reinforcement_id
    ) as voted_before, exists (
      select from observation n where n.account_id = ${accountId} and n.lane = given.lane
        and n.observation_id = given.reinforcement_id and n.verdict_revision > given.revision
    ) as is_outdated
    from ${rowSet(sql, "given", columns, items.map(rowOf))}
  ), asked as (
    select given.position, given.actor, given.day, given.version, given.votes_max, given.voted_before,
      given.is_outdated, o.lane, o.observation_id, o.cluster, o.model_id, o.votes_up, o.votes_down,
      o.occurred_at,
      abs(o.quality - given.quality) < ${agreementWidth}::float8 as agrees
    from given cross join lateral (
      select * from observation o
      where o.account_id = ${accountId} and o.lane = given.lane and o.observation_id = any(given.entry_ids)
        and o.teaches
      -- Looked up one by one: taken for a join, it is planned for more rows than there ever are.
      offset 0
    ) o
  )`

/**
 * Votes on the entries of their lanes, up to each actor's most votes of a day; votes up count on the records
 * of (cluster, model) too. A reinforcement whose id has voted before does not vote again and is answered with
 * what it then voted up. A label that was replaced since does not vote. It is one statement, so that reading,
 * counting and voting see the same rows, which are locked in the order of their ids.
 *
 * Parameters: the account, and a row of `columns` for each reinforcement. Result: a row for each outcome that
 * was found, with the position of its reinforcement.
 */
const vote = Effect.fnUntraced(function*(items: Arr.NonEmptyReadonlyArray<NewVotes>) {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = items[0].reinforcement
  const rows = yield* sql<EntryRow & { readonly position: number }>`
  ${askedVotes(sql, accountId, items)}, counting as (
    select asked.*, row_number() over (
      partition by lane, observation_id, actor, day order by position
    ) + coalesce((
      select votes from vote v where v.account_id = ${accountId} and v.lane = asked.lane
        and v.observation_id = asked.observation_id and v.actor = asked.actor and v.day = asked.day
    ), 0) as votes
    from asked where voted_before is null and not is_outdated
  ), cast_now as (
    select * from counting where votes <= votes_max
  ), counted as (
    insert into vote (account_id, lane, observation_id, actor, day, votes)
    select ${accountId}::text, lane, observation_id, actor, day, count(*) from cast_now
    group by lane, observation_id, actor, day order by lane, observation_id
    on conflict (account_id, lane, observation_id, actor, day) do update
      set votes = vote.votes + excluded.votes
  ), voted as (
    update observation o set votes_up = o.votes_up + c.up, votes_down = o.votes_down + c.down,
      version = c.version
    from (
      select lane, observation_id, sum(agrees::int) as up, sum((not agrees)::int) as down,
        max(version) as version
      from cast_now group by lane, observation_id order by lane, observation_id
    ) c
    where o.account_id = ${accountId} and o.lane = c.lane and o.observation_id = c.observation_id
    returning o.lane, o.observation_id, o.votes_up, o.votes_down
  ), credited as (
    update outcome_record r set reinforcement = r.reinforcement + c.votes
    from (
      select lane, cluster, model_id, count(*)::int as votes from cast_now where agrees
      group by lane, cluster, model_id
    ) c
    where r.account_id = ${accountId} and r.lane = c.lane and r.cluster = c.cluster
      and r.model_id = c.model_id
  ), recorded as (
    insert into reinforcement (account_id, lane, reinforcement_id, voted_up, voted_down)
    select ${accountId}::text, given.lane, given.reinforcement_id,
      coalesce(array_agg(c.observation_id) filter (where c.agrees), '{}'),
      coalesce(array_agg(c.observation_id) filter (where not c.agrees), '{}')
    from given left join cast_now c using (position)
    where given.reinforcement_id is not null and given.voted_before is null and not given.is_outdated
    group by given.position, given.lane, given.reinforcement_id
  )
  select asked.position, asked.observation_id::text as id,
    coalesce(voted.votes_up, asked.votes_up) as "votesUp",
    coalesce(voted.votes_down, asked.votes_down) as "votesDown",
    (extract(epoch from asked.occurred_at) * 1000)::float8 as "occurredAtMs",
    coalesce(asked.observation_id = any(asked.voted_before), c.agrees, false) as "isVotedUp"
  from asked
  left join cast_now c using (position, lane, observation_id)
  left join voted using (lane, observation_id)`
  const answers = new Map(items.map((item, position) =>
    [item, reinforcedOf(rows.filter((row) => row.position === position), item)] as const))
  return (item: NewVotes): Reinforced => answers.get(item) ?? { entryIds: [], updatedConfidence: null }
})

/**
 * Votes once, however often the reinforcement is repeated; a repeat is answered with what the first voted up.
 * The caller holds the lane's version, so that two reinforcements at once take turns. Reinforcements that
 * share a transaction are each answered with their entries after all of them.
 */
export const reinforceRows = batchWrites(vote)

/** Deletes the counts of votes of days before yesterday: no vote of such a day is still to come. */
export const forgetVotes = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  now: Date
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from vote where account_id = ${accountId} and lane = ${lane}
    and day < (${now}::timestamptz at time zone 'UTC')::date - 1`
})
