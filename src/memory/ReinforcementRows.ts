import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { agreementWidth, reliabilityAt } from "./LaneEntry.ts"
import type { Reinforced, Reinforcement } from "./Memory.ts"
import type { MemorySettings } from "./MemorySettings.ts"
import type { LaneName } from "./ReflectionRows.ts"

/** An entry as it stands after a vote, or without one. */
interface EntryRow {
  readonly id: string
  readonly votesUp: number
  readonly votesDown: number
  readonly occurredAtMs: number
  readonly isVotedUp: boolean
}

/** What is answered of these entries, in the order of `entryIds`. */
const reinforcedOf = (
  rows: ReadonlyArray<EntryRow>,
  entryIds: ReadonlyArray<string>,
  nowMs: number,
  settings: MemorySettings
): Reinforced => {
  const known = new Map(rows.map((row) => [row.id, row]))
  const found = entryIds.flatMap((id) => known.get(id.toLowerCase()) ?? [])
  const reliability = found.reduce((sum, row) => sum + reliabilityAt(row, nowMs, settings), 0)
  return {
    entryIds: found.filter(({ isVotedUp }) => isVotedUp).map(({ id }) => id),
    updatedConfidence: found.length === 0 ? null : reliability / found.length
  }
}

/**
 * Votes on this lane's entries among `entryIds`, all of them UUIDs, as far as the actor's votes of the day
 * reach; agreement counts on their records. One statement: counting and voting cannot come apart, and rows
 * are locked in the order of their ids.
 */
const vote = Effect.fnUntraced(function*(
  { caller: { accountId }, lane, occurredAt, quality, reinforcementId, userId }: Reinforcement,
  entryIds: ReadonlyArray<string>,
  version: number,
  { votesPerDayMax }: MemorySettings
): Effect.fn.Return<ReadonlyArray<EntryRow>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const told = sql`account_id = ${accountId} and lane = ${lane} and teaches
    and observation_id = any(${entryIds}::uuid[])`
  const agrees = sql`abs(quality - ${quality}::float8) < ${agreementWidth}::float8`
  return yield* sql<EntryRow>`with counted as (
    insert into vote (account_id, lane, observation_id, actor, day, votes)
    select account_id, lane, observation_id, ${userId ?? ""}::text,
      (${occurredAt}::timestamptz at time zone 'UTC')::date, 1
    from observation where ${told} order by observation_id
    on conflict (account_id, lane, observation_id, actor, day) do update set votes = vote.votes + 1
      where vote.votes < ${votesPerDayMax}::int
    returning observation_id
  ), voted as (
    update observation set votes_up = votes_up + (${agrees})::int,
      votes_down = votes_down + (not ${agrees})::int, version = ${version}
    where ${told} and observation_id in (select observation_id from counted)
    returning observation_id, cluster, model_id, votes_up, votes_down, occurred_at, ${agrees} as is_up
  ), credited as (
    update outcome_record r set reinforcement = r.reinforcement + v.votes
    from (
      select cluster, model_id, count(*)::int as votes from voted where is_up group by cluster, model_id
    ) v
    where r.account_id = ${accountId} and r.lane = ${lane} and r.cluster = v.cluster
      and r.model_id = v.model_id
  ), remembered as (
    insert into reinforcement (account_id, lane, reinforcement_id, voted_up, voted_down)
    select ${accountId}::text, ${lane}::text, ${reinforcementId ?? null}::uuid,
      coalesce((select array_agg(observation_id) from voted where is_up), '{}'),
      coalesce((select array_agg(observation_id) from voted where not is_up), '{}')
    where ${reinforcementId !== undefined}::boolean
  )
  select observation_id::text as id, votes_up as "votesUp", votes_down as "votesDown",
    (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs", is_up as "isVotedUp"
  from (
    select observation_id, votes_up, votes_down, occurred_at, is_up from voted
    union all
    select observation_id, votes_up, votes_down, occurred_at, false from observation
    where ${told} and observation_id not in (select observation_id from counted)
  ) as standing`
})

/** The entries as a telling before this one left them; empty when there was none, or nothing it knew. */
const toldBefore = Effect.fnUntraced(function*(
  { caller: { accountId }, lane, reinforcementId }: Reinforcement,
  entryIds: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<EntryRow> | null, SqlError.SqlError, SqlClient.SqlClient> {
  if (reinforcementId === undefined) return null
  const sql = yield* SqlClient.SqlClient
  const [before] = yield* sql<{ votedUp: ReadonlyArray<string> }>`select voted_up::text[] as "votedUp"
    from reinforcement
    where account_id = ${accountId} and lane = ${lane} and reinforcement_id = ${reinforcementId}`
  if (before === undefined) return null
  return yield* sql<EntryRow>`select observation_id::text as id, votes_up as "votesUp",
      votes_down as "votesDown", (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs",
      observation_id = any(${before.votedUp}::uuid[]) as "isVotedUp"
    from observation
    where account_id = ${accountId} and lane = ${lane} and teaches
      and observation_id = any(${entryIds}::uuid[])`
})

/**
 * Votes once, however often this reinforcement is told; a repeat names what the first telling voted up. The
 * caller holds the lane's version, so that two tellings at once take turns.
 */
export const reinforceRows = Effect.fnUntraced(function*(
  reinforcement: Reinforcement,
  options: {
    readonly entryIds: ReadonlyArray<string>
    readonly version: number
    readonly nowMs: number
    readonly settings: MemorySettings
  }
): Effect.fn.Return<Reinforced, SqlError.SqlError, SqlClient.SqlClient> {
  const { entryIds, nowMs, settings, version } = options
  const rows = (yield* toldBefore(reinforcement, entryIds))
    ?? (yield* vote(reinforcement, entryIds, version, settings))
  return reinforcedOf(rows, entryIds, nowMs, settings)
})

/** Forgets the votes of days before yesterday, which no actor votes in any more. */
export const forgetVotes = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  now: Date
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from vote where account_id = ${accountId} and lane = ${lane}
    and day < (${now}::timestamptz at time zone 'UTC')::date - 1`
})
