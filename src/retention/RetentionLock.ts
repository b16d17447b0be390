/* The lock that lets one process of the cluster at a time purge or make months. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { inTransaction } from "../sql/Rollback.ts"
import { retentionSettings } from "./RetentionSettings.ts"

/** An arbitrary constant that names the lock, as migrations have one. */
const retentionLock = 5_790_316_252

/** The error when another process holds the lock: that process does all the work. */
export class Busy extends Schema.TaggedError<Busy>()("Busy", {}) {}

/** Takes the lock in the open transaction, without a time limit for statements, and runs the step. */
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
