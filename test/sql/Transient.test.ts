import { assert, describe, it } from "@effect/vitest"
import { SqlError } from "effect/sql"
import { isMisconfigured, isRefusal, isTransient } from "../../src/sql/Transient.ts"

/** An error as the driver reports it when it has no name for its code. */
const withCode = (code: string) =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({ cause: Object.assign(new Error("refused"), { code }), operation: "execute" })
  })
const deadlock = new SqlError.SqlError({
  reason: new SqlError.DeadlockError({ cause: "a test", operation: "execute" })
})

describe("an error of the database", () => {
  it("is a refusal of the values only where waiting cannot help", () => {
    for (const code of ["22003", "22P02", "23514", "23502"]) assert.isTrue(isRefusal(withCode(code)), code)
    // Disk full, read only, shutting down, too many connections, no such table yet.
    for (const code of ["53100", "25006", "57P01", "53300", "42P01"]) assert.isFalse(isRefusal(withCode(code)), code)
    assert.isFalse(isRefusal(new Error("connection reset")))
  })

  it("is transient after a deadlock at any depth, and not for another code", () => {
    assert.isTrue(isTransient({ cause: { error: { cause: deadlock } } }))
    assert.isFalse(isTransient(withCode("53100")))
    const loop: { cause?: unknown } = {}
    loop.cause = loop
    assert.isFalse(isTransient(loop))
  })

  it("is a misconfiguration when there is no such database, not when it is unreachable", () => {
    assert.isTrue(isMisconfigured(withCode("3D000")))
    assert.isFalse(isMisconfigured(withCode("57P03")))
  })
})
