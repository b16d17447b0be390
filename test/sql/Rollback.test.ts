import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { SqlError } from "effect/sql"
import { rollbacksFail } from "../../src/sql/Rollback.ts"

const dead = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({ message: "Connection closed", operation: "rollback", cause: "test" })
})
const both = Effect.failCause(Cause.combine(Cause.fail("work"), Cause.die(dead)))

describe("a transaction whose connection has died", () => {
  it.effect("fails as its work did, whatever its rollback met", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* Effect.flip(rollbacksFail(both)), "work")
    }))

  it.effect("fails with the rollback's failure where there is no other", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* Effect.flip(rollbacksFail(Effect.die(dead))), dead)
    }))

  it.effect("keeps every other defect", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(rollbacksFail(Effect.die("a bug")))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }))
})
