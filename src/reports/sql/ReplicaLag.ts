import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * How far the replica is behind, ms. What it has received it may still have to replay, and then its newest
 * transaction tells; all replayed and still receiving, it is level, however long nobody has written. Infinite
 * where it has replayed none since its start.
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
