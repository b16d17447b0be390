/* The counts of votes, by which an actor has so many in a day. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { LaneName } from "./ReflectionRows.ts"

/** Deletes the counts of votes of days before yesterday: no vote of such a day is still to come. */
export const forgetVotes = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  now: Date
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from vote where account_id = ${accountId} and lane = ${lane}
    and votes > 0 and day < (${now}::timestamptz at time zone 'UTC')::date - 1`
})
