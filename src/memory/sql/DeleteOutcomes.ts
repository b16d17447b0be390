/* Deletes outcomes of an account from memory, with their votes, sums and lessons. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { OutcomeSelection } from "../../domain/OutcomeSelection.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { DeletedOutcomes } from "../OutcomeImport.ts"
import { rewriteLane } from "./LaneVersions.ts"

interface OutcomesOfLane {
  readonly accountId: AccountId
  readonly lane: string
  readonly ids: ReadonlyArray<string>
}

/** The outcomes to delete, by lane. The lane's row is locked first: no other process teaches it meanwhile. */
const selectOutcomes = Effect.fnUntraced(function*(
  { accountId, lane, since, until, userId }: OutcomeSelection
): Effect.fn.Return<ReadonlyArray<OutcomesOfLane>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const inLane = sql`account_id = ${accountId} and (${lane}::text is null or lane = ${lane}::text)`
  yield* sql`select from lane where ${inLane} order by lane for update`
  const rows = yield* sql<{ readonly lane: string; readonly ids: ReadonlyArray<string> }>`
    select lane, array_agg(observation_id::text) as ids from observation
    where ${inLane} and (${userId}::text is null or user_id = ${userId}::text)
      and (${since}::timestamptz is null or occurred_at >= ${since}::timestamptz)
      and (${until}::timestamptz is null or occurred_at < ${until}::timestamptz)
    group by lane order by lane`
  return rows.map((row) => ({ accountId, ...row }))
})

/**
 * Adds up the records of the cells that lose outcomes from those that are left; one without any goes. Null:
 * all records of the lane, from the outcomes that it has. The transaction has locked the lane, or an outcome
 * that is written meanwhile would not be counted.
 */
export const addUpRecords = Effect.fnUntraced(function*(
  { accountId, ids, lane }: Omit<OutcomesOfLane, "ids"> & { readonly ids: ReadonlyArray<string> | null }
) {
  const sql = yield* SqlClient.SqlClient
  const mine = sql`account_id = ${accountId} and lane = ${lane}`
  const isLost = sql`observation_id = any(${ids ?? []}::uuid[])`
  const cells = ids === null
    ? sql`select cluster, model_id from outcome_record where ${mine}`
    : sql`select distinct cluster, model_id from observation where ${mine} and ${isLost}`
  const last = (column: string, isSaid = `${column} is not null`) =>
    sql.literal(`(array_agg(${column} order by occurred_at desc, observation_id desc)
      filter (where ${isSaid}))[1]`)
  yield* sql`with cells as (
      ${cells}
    ), left_over as (
      select cluster, model_id, count(*) as outcomes, max(occurred_at) as updated_at,
        ${last("cost_usd")} as last_cost, ${last("input_tokens")} as last_input,
        ${last("output_tokens")} as last_output, ${last("quality", "teaches")} as last_quality
      from observation join cells using (cluster, model_id)
      where ${mine} and not ${isLost}
      group by cluster, model_id
    ), emptied as (
      delete from outcome_record r using cells c where r.account_id = ${accountId} and r.lane = ${lane}
        and r.cluster = c.cluster and r.model_id = c.model_id and not exists (
          select from left_over l where l.cluster = c.cluster and l.model_id = c.model_id)
    )
    update outcome_record r set outcomes = l.outcomes, updated_at = l.updated_at, last_cost_usd = l.last_cost,
      last_input_tokens = l.last_input, last_output_tokens = l.last_output, last_quality = l.last_quality
    from left_over l
    where r.account_id = ${accountId} and r.lane = ${lane} and r.cluster = l.cluster
      and r.model_id = l.model_id`
})

/**
 * Deletes the outcomes with all that carries their ids: votes that they cast and got, lessons, and the steps
 * that were reported with them; and takes back their part of the lane's counts, but for the records'.
 */
export const deleteRows = Effect.fnUntraced(function*({ accountId, ids, lane }: OutcomesOfLane) {
  const sql = yield* SqlClient.SqlClient
  const mine = sql`account_id = ${accountId} and lane = ${lane}`
  yield* sql`select take_back_votes(${accountId}, ${lane}, ${ids}::uuid[])`
  const carriers = ["vote", "reflection", "observation_vector", "observation_text"].map((table) => sql`
    ${sql.literal(`gone_of_${table}`)} as (
      delete from ${sql(table)} where ${mine} and observation_id = any(${ids}::uuid[])
    )`)
  yield* sql`with gone as (
      delete from observation where ${mine} and observation_id = any(${ids}::uuid[]) returning *
    ), ${sql.csv(carriers)}, unsaid as (
      delete from lesson where ${mine} and lesson_id = any(${ids}::text[])
    ), stepped as (
      -- An outcome's id begins with the time inside its recommendation's, and its steps share its moment.
      delete from step_reward s using gone o
      where s.account_id = ${accountId} and s.lane = ${lane} and s.model_id = o.model_id
        and s.occurred_at = o.occurred_at and o.import_id is null
        and left(s.recommendation_id, 13) = left(o.observation_id::text, 13)
    ), uncredited as (
      update outcome_record r set reinforcement = r.reinforcement - lost.votes
      from (select cluster, model_id, sum(votes_up)::int as votes from gone group by cluster, model_id) lost
      where r.account_id = ${accountId} and r.lane = ${lane} and r.cluster = lost.cluster
        and r.model_id = lost.model_id and lost.votes <> 0
    )
    update lane set taught = taught - (select count(*) from gone where teaches) where ${mine}`
})

const deleteInLane = Effect.fnUntraced(function*(outcomes: OutcomesOfLane, settings: MemorySettings) {
  yield* addUpRecords(outcomes)
  yield* deleteRows(outcomes)
  yield* rewriteLane(outcomes, settings)
  const deleted: DeletedOutcomes = { lane: outcomes.lane, outcomes: outcomes.ids.length }
  return deleted
})

/**
 * Leaves recall, tallies, records, votes and lessons as if the outcomes had never been reported, in one
 * transaction; running services notice by the lane's version. Not restored: run lessons that were pruned in
 * favour of these outcomes' lessons, votes that the actor's limit refused because of these outcomes, and
 * votes down from before votes down were stored. The ledger and its reports are not changed.
 */
export const deleteOutcomes = (
  request: OutcomeSelection,
  settings: MemorySettings
): Effect.Effect<ReadonlyArray<DeletedOutcomes>, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(
    selectOutcomes(request),
    Effect.forEach((outcomes) => deleteInLane(outcomes, settings))
  ).pipe(withAccount(request.accountId))
