/* A lock, so that only one of the processes that share a database purges at a time. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { inTransaction } from "../sql/Rollback.ts"
import { retentionSettings } from "./RetentionSettings.ts"

/** An arbitrary constant, like that of migrations. */
const retentionLock = 5_790_316_252

/** Another process purges, and does all there is to do. */
export class Busy extends Schema.TaggedError<Busy>()("Busy", {}) {}

/** One step in its transaction, under the lock that lets one process of the cluster purge at a time. */
export const alone = <A, E>(step: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [lock] = yield* sql<{ readonly isFree: boolean }>`
      select pg_try_advisory_xact_lock(${retentionLock}::bigint) as "isFree",
        set_config('statement_timeout', '0', true),
        set_config('lock_timeout', ${`${retentionSettings.lockMs}ms`}, true)`
    if (lock?.isFree !== true) return yield* new Busy()
    return yield* step
  })

export const inTurn = <A, E>(step: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => inTransaction(sql)(alone(step)))
