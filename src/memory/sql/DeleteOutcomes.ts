/* Deletes an account's outcomes from memory, with their votes, sums and lessons. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { OutcomeSelection } from "../../domain/feedback/OutcomeSelection.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { withAccountLog } from "../../sql/AccountScope.ts"
import { arrayOf } from "../../sql/RowSet.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { DeletedOutcomes } from "../OutcomeImport.ts"
import { takenBack } from "../fold/FoldWrites.ts"
import { noKeys } from "../fold/TouchedKeys.ts"
import { readState } from "./FoldRead.ts"
import { writeRows } from "./FoldWrite.ts"
import { rewriteLane } from "./LaneVersions.ts"

interface OutcomesOfLane {
  readonly accountId: AccountId
  readonly lane: string
  readonly ids: ReadonlyArray<string>
}

const selectOutcomes = Effect.fnUntraced(function*(
  { accountId, lane, since, until, userId }: OutcomeSelection
): Effect.fn.Return<ReadonlyArray<OutcomesOfLane>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const inLane = sql`account_id = ${accountId} and (${lane}::text is null or lane = ${lane}::text)`
  const rows = yield* sql<{ readonly lane: string; readonly ids: ReadonlyArray<string> }>`
    select lane, array_agg(observation_id::text) as ids from observation
    where ${inLane} and (${userId}::text is null or user_id = ${userId}::text)
      and (${since}::timestamptz is null or occurred_at >= ${since}::timestamptz)
      and (${until}::timestamptz is null or occurred_at < ${until}::timestamptz)
    group by lane order by lane`
  return rows.map((row) => ({ accountId, ...row }))
})

/**
 * Recalculates the records of outcomes to delete, or all records of the lane if `ids` is null. The caller has
 * locked the account's log, so that no outcome is written during the call.
 */
export const addUpRecords = Effect.fnUntraced(function*(
  { accountId, ids, lane }: Omit<OutcomesOfLane, "ids"> & { readonly ids: ReadonlyArray<string> | null }
) {
  const sql = yield* SqlClient.SqlClient
  const mine = sql`account_id = ${accountId} and lane = ${lane}`
  const isLost = sql`observation_id = any(${arrayOf(sql, "uuid", ids ?? [])})`
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

/** Maximum number of outcomes whose votes are removed at a time. Chosen. */
const takenBackAtOnce = 250

/** Removes the votes that the given outcomes have cast, before the outcomes' records are recalculated. */
export const takeBackVotes = Effect.fnUntraced(function*({ accountId, ids, lane }: OutcomesOfLane) {
  for (let at = 0; at < ids.length; at += takenBackAtOnce) {
    const some = ids.slice(at, at + takenBackAtOnce)
    const own = some.map((observationId) => ({ lane, observationId }))
    const state = yield* readState(accountId, { ...noKeys, lanes: [{ lane }], own })
    yield* writeRows(accountId, takenBack(state, new Set(some)))
  }
})

/** Before outcomes are deleted, {@link takeBackVotes} must remove the votes that the outcomes have cast. */
export const deleteRows = Effect.fnUntraced(function*({ accountId, ids, lane }: OutcomesOfLane) {
  const sql = yield* SqlClient.SqlClient
  const mine = sql`account_id = ${accountId} and lane = ${lane}`
  const isGone = sql`observation_id = any(${arrayOf(sql, "uuid", ids)})`
  const carriers = ["vote", "reflection", "observation_vector", "observation_text"].map((table) => sql`
    ${sql.literal(`gone_of_${table}`)} as (
      delete from ${sql(table)} where ${mine} and ${isGone}
    )`)
  yield* sql`with gone as (
      delete from observation where ${mine} and ${isGone} returning *
    ), ${sql.csv(carriers)}, unsaid as (
      delete from lesson where ${mine} and lesson_id = any(${arrayOf(sql, "text", ids)})
    ), stepped as (
      -- An outcome's id and its recommendation's id begin with the same time. Its steps have its time.
      -- "is true" forces a hash table: the planner expects one row, and would compare all pairs.
      delete from step_reward s where s.account_id = ${accountId} and s.lane = ${lane}
        and ((s.model_id, s.occurred_at, left(s.recommendation_id, 13)) in (
          select model_id, occurred_at, left(observation_id::text, 13) from gone where import_id is null
        )) is true
    ), uncredited as (
      update outcome_record r set reinforcement = r.reinforcement - lost.votes
      from (select cluster, model_id, sum(votes_up)::int as votes from gone group by cluster, model_id) lost
      where r.account_id = ${accountId} and r.lane = ${lane} and r.cluster = lost.cluster
        and r.model_id = lost.model_id and lost.votes <> 0
    )
    update lane set taught = taught - (select count(*) from gone where teaches) where ${mine}`
})

const deleteInLane = Effect.fnUntraced(function*(outcomes: OutcomesOfLane, settings: MemorySettings) {
  yield* takeBackVotes(outcomes)
  yield* addUpRecords(outcomes)
  yield* deleteRows(outcomes)
  yield* rewriteLane(outcomes, settings)
  const deleted: DeletedOutcomes = { lane: outcomes.lane, outcomes: outcomes.ids.length }
  return deleted
})

/** Deletes outcomes with their sums, votes and lessons, in one transaction. */
export const deleteOutcomes = (
  request: OutcomeSelection,
  settings: MemorySettings
): Effect.Effect<ReadonlyArray<DeletedOutcomes>, SqlError.SqlError, SqlClient.SqlClient> =>
  withAccountLog(request.accountId, 0)(() =>
    Effect.flatMap(
      selectOutcomes(request),
      Effect.forEach((outcomes) => deleteInLane(outcomes, settings))
    ))
