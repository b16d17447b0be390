import { assert, describe, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect } from "effect"
import { failureLine, errorLine } from "../../../src/cli/doctor/ErrorLine.ts"
import { DatabaseUnavailable } from "../../../src/sql/Database.ts"
import { EmbeddedUnavailable } from "../../../src/postgres/embedded/EmbeddedFailure.ts"
import { dataDirectory } from "../../support/Databases.ts"
import { sextant } from "../../support/Service.ts"

/** As the driver wraps what a socket says. */
const refused = (inner: Error) => {
  const connection = new Error("PgConnection: Failed to connect", { cause: inner })
  return Object.assign(new Error("PgConnection: Failed to connect", { cause: connection }), { _tag: "SqlError" })
}

describe("a reason", () => {
  it("is the message of the innermost cause, for several addresses that of the first", () => {
    const socket = new Error("connect ECONNREFUSED\n127.0.0.1:9")
    assert.strictEqual(errorLine(refused(socket)), "connect ECONNREFUSED 127.0.0.1:9")
    assert.strictEqual(errorLine(refused(new AggregateError([socket], ""))), "connect ECONNREFUSED 127.0.0.1:9")
    assert.strictEqual(errorLine(new Error("outer", { cause: new Error("") })), "outer")
    assert.strictEqual(errorLine("as it is"), "as it is")
  })

  it.effect("of a wrong variable names it and what was expected, without its value", () =>
    Effect.gen(function*() {
      const provider = ConfigProvider.fromEnv({ env: { COUNT: "canary" } })
      const error = yield* Effect.flip(Config.Int("COUNT").parse(provider))
      assert.match(errorLine(error), /^COUNT: expected [^\n]*number$/)
      assert.notInclude(errorLine(error), "canary")
    }))
})

describe("what ended a command", () => {
  it("is printed once, with its cause, and for a database with how to find out more", () => {
    const line = failureLine(new DatabaseUnavailable({ cause: refused(new Error("connect ECONNREFUSED")) }))
    assert.strictEqual(line, "The database: connect ECONNREFUSED. To find out more, run `sextant doctor`")
    const cause = new Error("EACCES: permission denied")
    // What the embedded database says ends with what to do: it is said whole, however long its paths are.
    const problem = `${"/long".repeat(60)} cannot be used: it must be writable`
    const unusable = new DatabaseUnavailable({ cause: new EmbeddedUnavailable({ problem, cause }) })
    assert.strictEqual(failureLine(unusable),
      `The database: ${problem}: EACCES: permission denied. To find out more, run \`sextant doctor\``)
  })

  it.live("is one line for an invalid value, whatever the command", () =>
    Effect.gen(function*() {
      const environment = { SEXTANT_RETENTION_DAYS: "10", SEXTANT_DATA_DIR: "/dev/null/none" }
      const says = "SEXTANT_RETENTION_DAYS: got \"10\", wants a whole number from 30 to 3650"
      for (const command of [["serve"], ["memory"], ["keys", "list"], ["migrate"]]) {
        const { code, stderr } = yield* sextant(command, environment)
        assert.deepStrictEqual([code, stderr], [1, `${says}\n`], command.join(" "))
      }
      const { code, stdout } = yield* sextant(["doctor"], environment)
      assert.strictEqual(code, 1)
      assert.match(stdout, new RegExp(`^fail config +${says}\\n +-> .*docs/running/configuration.md`))
      const logs = yield* sextant(["keys", "list"], { SEXTANT_LOG_FORMAT: "xml", SEXTANT_DATA_DIR: yield* dataDirectory })
      assert.deepStrictEqual([logs.code, logs.stderr], [1, "SEXTANT_LOG_FORMAT: got \"xml\", wants logfmt or json\n"])
    }), 120_000)

  it.live("is the reason why the database could not be reached", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* sextant(["keys", "list"], {
        // One attempt: to migrate is tried for half a minute.
        DATABASE_URL: "postgres://nobody@127.0.0.1:9/nowhere", SEXTANT_MIGRATE: "off"
      })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^The database: connect ECONNREFUSED 127\.0\.0\.1:9\. .*`sextant doctor`\n$/)
    }), 60_000)
})
