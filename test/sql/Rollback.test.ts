import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { layerPostgres } from "../../src/sql/Database.ts"
import { inTransaction } from "../../src/sql/Rollback.ts"
import { freshDatabase, postgresServer } from "../support/Databases.ts"

/** Runs the work in a transaction whose connection the server then ends. */
const onDeadConnection = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const { url } = yield* freshDatabase(postgresServer ?? "")
    return yield* Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const ended = Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`)
      return yield* Effect.exit(inTransaction(sql)(Effect.andThen(ended, work)))
    }).pipe(Effect.provide(layerPostgres(url)))
  })

describe.skipIf(postgresServer === null)("a transaction whose connection has died", () => {
  it.live("fails as its work did, whatever its rollback met", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* onDeadConnection(Effect.fail("work")), Exit.fail("work"))
    }))

  it.live("fails with what its commit met where its work did not fail", () =>
    Effect.gen(function*() {
      const exit = yield* onDeadConnection(Effect.void)
      const [failure] = Exit.isFailure(exit) ? exit.cause.reasons : []
      assert.isTrue(failure !== undefined && Cause.isFailReason(failure) && SqlError.isSqlError(failure.error))
    }))

  it.live("keeps every other defect", () =>
    Effect.gen(function*() {
      const exit = yield* onDeadConnection(Effect.die("a bug"))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }))
})
