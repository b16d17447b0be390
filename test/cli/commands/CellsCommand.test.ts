import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runToEnd } from "../../support/Service.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

const folder = temporaryFolder()

/** Runs `sextant cells` over these cells. */
const run = (cells: object, ...words: ReadonlyArray<string>) => runWith({}, cells, ...words)

/** The same from a process that has variables of its own. */
const runWith = (environment: Readonly<Record<string, string>>, cells: object, ...words: ReadonlyArray<string>) => {
  const file = join(folder, `${crypto.randomUUID()}.json`)
  writeFileSync(file, JSON.stringify(cells))
  return runToEnd(process.execPath, ["src/cli/main.ts", "cells", "--file", file, ...words], environment)
}

const unreachable = "postgres://sextant:secret@127.0.0.1:1/sextant"

describe("A command in each cell", () => {
  it.live("runs one cell after the other, with its own variables and its name before each line", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* run(
        { eu_1: { PORT: "no port" }, us_1: { SEXTANT_LOG_FORMAT: "no format" } }, "doctor"
      )
      assert.strictEqual(code, 1)
      const lines = stdout.trim().split("\n")
      const first = lines.filter((line) => line.startsWith("eu_1 | "))
      const second = lines.filter((line) => line.startsWith("us_1 | "))
      assert.strictEqual(lines.length, first.length + second.length)
      assert.deepStrictEqual(lines, [...first, ...second])
      assert.include(first.join("\n"), "PORT")
      assert.notInclude(second.join("\n"), "PORT")
      assert.include(second.join("\n"), "SEXTANT_LOG_FORMAT")
    }))

  it.live("ends with 1 and the cells in which it failed, and passes flags and the cell's name on", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* run({ eu_1: {}, us_1: {} }, "openapi", "--", "--version")
      assert.strictEqual(code, 0, stderr)
      assert.match(stdout, /^eu_1 \| .*\d+\.\d+\.\d+\nus_1 \| /)
      const missing = yield* run({ eu_1: {}, us_1: {} }, "backtest", "/no/such/{cell}.jsonl")
      assert.strictEqual(missing.code, 1)
      assert.include(missing.stdout, "/no/such/us_1.jsonl")
      assert.include(missing.stderr, "backtest failed in eu_1, us_1")
    }))

  it.live("stops a release at the first cell whose database cannot be migrated, and prints no password", () =>
    Effect.gen(function*() {
      const database = { DATABASE_URL: unreachable }
      const { code, stderr, stdout } = yield* run({ eu_1: database, us_1: database }, "migrate")
      assert.strictEqual(code, 1)
      assert.include(stderr, "migrate failed in eu_1, and the cells after it were left as they are")
      assert.notInclude(stdout, "us_1 | ")
      assert.notInclude(stdout + stderr, "secret")
    }))

  it.live("reaches no database but the cell's own, whatever variables it was started with", () =>
    Effect.gen(function*() {
      const file = join(folder, "url")
      writeFileSync(file, unreachable.replace(":1/", ":2/"))
      const ours = { DATABASE_URL: unreachable, SEXTANT_LOG_FORMAT: "no format" }
      const { code, stdout } = yield* runWith(ours, { eu_1: { DATABASE_URL_FILE: file } }, "doctor")
      assert.strictEqual(code, 1)
      assert.include(stdout, "127.0.0.1:2")
      assert.notInclude(stdout, "127.0.0.1:1/")
      assert.notInclude(stdout, "SEXTANT_LOG_FORMAT")
    }))

  it.live("refuses a file that is none of cells, and repeats nothing of it", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* run({ eu_1: { DATABASE_URL: 5, KEY: "hidden" } }, "doctor")
      assert.strictEqual(code, 1)
      assert.include(stderr, "is no file of cells")
      assert.notInclude(stdout + stderr, "hidden")
    }))
})
