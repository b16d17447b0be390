import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { demoLog, demoTruth } from "../../scripts/demo/log.ts"
import { BacktestReport } from "../../src/backtest/Report.ts"
import { sextant } from "../support/Service.ts"

const folder = join(import.meta.dirname, "../../examples/backtest")
const log = join(folder, "log.jsonl.gz")

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sextant-backtest-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("the example of a backtest", () => {
  it("is the log and the truth that the simulation writes", () => {
    const rows = demoLog().map((row) => `${JSON.stringify(row)}\n`).join("")
    assert.isTrue(gunzipSync(readFileSync(log)).toString() === rows)
    assert.deepStrictEqual(JSON.parse(readFileSync(join(folder, "truth.json"), "utf8")), demoTruth())
  })

  it.live("writes and names a page, and holds the truth of every model in its intervals", () =>
    Effect.gen(function*() {
      const directory = yield* temporary
      const [html, json] = [join(directory, "report.html"), join(directory, "report.json")]
      const { code, stderr, stdout } = yield* sextant(["backtest", log, "--html", html, "--json", json], {})
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, `Wrote ${html}`)
      assert.include(stdout, "Assumed throughout")
      assert.match(readFileSync(html, "utf8"), /^<!doctype html>.*<\/html>\n$/s)
      assert.deepStrictEqual(readdirSync(directory).sort(), ["report.html", "report.json"])
      const { policies } = Schema.decodeUnknownSync(BacktestReport)(JSON.parse(readFileSync(json, "utf8")))
      for (const { cost_usd, model, quality } of demoTruth()) {
        const { costUsd, success } = policies.find(({ modelId }) => modelId === model) ?? {}
        assert.isTrue(costUsd != null && costUsd.low <= cost_usd && cost_usd <= costUsd.high, `cost of ${model}`)
        assert.isTrue(success != null && success.low <= quality && quality <= success.high, `success of ${model}`)
      }
    }), 60_000)
})

describe("the command backtest", () => {
  it.live("refuses a path that cannot be written before it reads the log", () =>
    Effect.gen(function*() {
      const directory = yield* temporary
      const path = join(directory, "missing", "report.html")
      const { code, stderr } = yield* sextant(["backtest", log, "--html", path], {})
      assert.strictEqual(code, 1)
      assert.include(stderr, `${path} cannot be written`)
      assert.notInclude(stderr, "Reading")
      assert.isFalse(existsSync(path))
    }), 60_000)
})
