import { assert, describe, it } from "@effect/vitest"
import { SqlError } from "effect/sql"
import { isMisconfigured, isRefusal, isTransient } from "../../src/sql/Transient.ts"

/** As the driver tells what it does not know by name. */
const withCode = (code: string) =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({ cause: Object.assign(new Error("refused"), { code }), operation: "execute" })
  })
const deadlock = new SqlError.SqlError({
  reason: new SqlError.DeadlockError({ cause: "a test", operation: "execute" })
})

describe("what a database says", () => {
  it("is a refusal of the values only where no time will help", () => {
    for (const code of ["22003", "22P02", "23514", "23502"]) assert.isTrue(isRefusal(withCode(code)), code)
    // Disk full, read only, shutting down, too many connections, no such table yet.
    for (const code of ["53100", "25006", "57P01", "53300", "42P01"]) assert.isFalse(isRefusal(withCode(code)), code)
    assert.isFalse(isRefusal(new Error("connection reset")))
  })

  it("is worth another attempt at once after a deadlock alone, at whatever depth", () => {
    assert.isTrue(isTransient({ cause: { error: { cause: deadlock } } }))
    assert.isFalse(isTransient(withCode("53100")))
    const loop: { cause?: unknown } = {}
    loop.cause = loop
    assert.isFalse(isTransient(loop))
  })

  it("speaks against the address when there is no such database, not when it is out", () => {
    assert.isTrue(isMisconfigured(withCode("3D000")))
    assert.isFalse(isMisconfigured(withCode("57P03")))
  })
})
