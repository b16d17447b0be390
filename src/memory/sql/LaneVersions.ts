/* The versions of a lane, by which a process finds the rows that it has not read. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { MemorySettings } from "../MemorySettings.ts"
import { reflectOnLane } from "./ReflectionQueue.ts"
import type { LaneName } from "./ReflectionRows.ts"

/** Reserves the lane's next `count` versions, and returns the last of them. */
export const takeVersions = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  count: number
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [taken] = yield* sql<{ readonly version: number }>`insert into lane (account_id, lane, version)
    values (${accountId}, ${lane}, ${count}::bigint)
    on conflict (account_id, lane) do update set version = lane.version + excluded.version
    returning version::float8 as version`
  return taken?.version ?? 0
})

/**
 * After outcomes were deleted, makes running services load the lane again, and requests a reflection on it.
 */
export const rewriteLane = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  settings: MemorySettings
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [moved] = yield* sql<{ readonly version: string }>`update lane
    set version = version + 1, rewritten_version = version + 1
    where account_id = ${accountId} and lane = ${lane} returning version::text as version`
  if (moved === undefined) return
  yield* sql`insert into reflection (account_id, lane, crossing, observation_id)
    values (${accountId}, ${lane}, ${`undo:${moved.version}`}, ${randomUUID()}::uuid)`
  yield* reflectOnLane({ accountId, lane }, settings)
})
