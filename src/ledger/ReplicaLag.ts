import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { foldSettings } from "./FoldSettings.ts"
import { LedgerUnavailable } from "./Ledger.ts"

/**
 * How far the replica is behind, ms. What it has received it may still have to replay, and then its newest
 * transaction tells; all replayed and still receiving, it is level, however long nobody has written.
 */
export const lagMs = Effect.fnUntraced(function*(replica: SqlClient.SqlClient) {
  const [row] = yield* replica<{ readonly lagMs: number | null }>`
    select case
      when not pg_is_in_recovery() then 0
      when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
        and exists (select from pg_stat_wal_receiver where pid is not null) then 0
      else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 * 1000
    end as "lagMs"`.pipe(
    Effect.timeout(foldSettings.probeMs),
    Effect.mapError((cause) => new LedgerUnavailable({ cause }))
  )
  return row?.lagMs ?? Infinity
})
