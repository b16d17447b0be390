/* Measures the lag of a replica behind its primary. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * The lag of a replica, ms. While it has received more than it has replayed, the lag is the age of its newest
 * replayed transaction; when it has replayed all and still receives, it is 0, however old the last write is.
 * Infinite when it has replayed nothing since its start.
 */
export const lagMs = Effect.fnUntraced(function*(replica: SqlClient.SqlClient) {
  const [row] = yield* replica<{ readonly lagMs: number | null }>`
    select case
      when not pg_is_in_recovery() then 0
      when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
        and exists (select from pg_stat_wal_receiver where pid is not null) then 0
      else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 * 1000
    end as "lagMs"`
  return row?.lagMs ?? Infinity
})
