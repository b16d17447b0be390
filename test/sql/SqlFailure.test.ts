import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { SqlError } from "effect/sql"
import { reasonOf } from "../../src/sql/SqlFailure.ts"

const unknown = (code: string) =>
  new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause: Object.assign(new Error("refused"), { code }) }) })
const cause = new Error("driver")

describe("The reason of an error of the database", () => {
  const errors: ReadonlyArray<readonly [string, unknown, string]> = [
    ["a refused connection", new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause }) }), "Unreachable"],
    ["a wrong password", new SqlError.SqlError({ reason: new SqlError.AuthenticationError({ cause }) }), "Unauthorized"],
    ["a deadlock", new SqlError.SqlError({ reason: new SqlError.DeadlockError({ cause }) }), "Conflict"],
    ["a serialization failure", new SqlError.SqlError({ reason: new SqlError.SerializationError({ cause }) }), "Conflict"],
    ["a statement's deadline", new SqlError.SqlError({ reason: new SqlError.StatementTimeoutError({ cause }) }), "TimedOut"],
    ["a lock's deadline", new SqlError.SqlError({ reason: new SqlError.LockTimeoutError({ cause }) }), "TimedOut"],
    ["a value that its type cannot hold", unknown("22003"), "Rejected"],
    ["a violated constraint", unknown("23514"), "Rejected"],
    ["a full disk", unknown("53100"), "Exhausted"],
    ["too many connections", unknown("53300"), "Exhausted"],
    ["a server that shuts down", unknown("57P01"), "Unreachable"],
    ["a server that starts", unknown("57P03"), "Unreachable"],
    ["a missing table", unknown("42P01"), "Unclassified"],
    ["a read-only server", unknown("25006"), "Unclassified"],
    ["an error of anything else", new Error("bug"), "Unclassified"]
  ]
  for (const [name, error, reason] of errors) {
    it(`is ${reason} for ${name}`, () => assert.strictEqual(reasonOf(error)._tag, reason))
  }

  it("is Unusable for a row that does not decode", () => {
    const decoded = Schema.decodeUnknownResult(Schema.Finite)("many")
    assert.strictEqual(decoded._tag === "Failure" ? reasonOf(decoded.failure)._tag : "decoded", "Unusable")
  })

  it("keeps the error as its cause", () => {
    const error = unknown("53100")
    assert.strictEqual(reasonOf(error).cause, error)
  })
})
