/* The database's lock that lets only one transaction of retention run at a time. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { inTransaction } from "../sql/Rollback.ts"
import { retentionSettings } from "./RetentionSettings.ts"

const retentionLock = 5_790_316_252

/** The error if another process holds the lock and is at work. */
export class Busy extends Schema.TaggedError<Busy>()("Busy", {}) {}

/** Takes the lock in the open transaction, sets the transaction's time limits, and runs `step`. */
export const withRetentionLock = <A, E>(step: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [lock] = yield* sql<{ readonly isFree: boolean }>`
      select pg_try_advisory_xact_lock(${retentionLock}::bigint) as "isFree",
        set_config('statement_timeout', '0', true),
        set_config('lock_timeout', ${`${retentionSettings.lockMs}ms`}, true)`
    if (lock?.isFree !== true) return yield* new Busy()
    return yield* step
  })

export const inLockedTransaction = <A, E>(step: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => inTransaction(sql)(withRetentionLock(step)))
