import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { agreementWidth } from "./LaneEntry.ts"
import type { Reinforced, Reinforcement } from "./Memory.ts"
import { reinforcedOf, type VotedRow } from "./ObservationWrites.ts"

/** Whether this reinforcement is told for the first time; one without an id always is. */
export const isFirstTold = Effect.fnUntraced(function*(
  { caller: { accountId }, lane, reinforcementId }: Reinforcement
): Effect.fn.Return<boolean, SqlError.SqlError, SqlClient.SqlClient> {
  if (reinforcementId === undefined) return true
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`insert into reinforcement (account_id, lane, reinforcement_id)
    values (${accountId}, ${lane}, ${reinforcementId}) on conflict do nothing returning lane`
  return rows.length > 0
})

/** What a repeat is answered: the entries as they stand, with no further vote. */
export const standingVotes = Effect.fnUntraced(function*(
  { caller: { accountId }, lane, quality }: Reinforcement,
  entryIds: ReadonlyArray<string>
): Effect.fn.Return<Reinforced, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<VotedRow>`select observation_id::text as id, votes_up, votes_down,
      abs(quality - ${quality}::float8) < ${agreementWidth}::float8 as is_agreed
    from observation
    where account_id = ${accountId} and lane = ${lane} and teaches
      and observation_id = any(${entryIds}::uuid[])`
  return reinforcedOf(rows, entryIds)
})
