import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Schema, Stream } from "effect"
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { logLines, logTruth } from "../../scripts/example-log.ts"
import { readLogs } from "../../src/logs/ReadLogs.ts"
import { BacktestReport } from "../../packages/backtest/src/Report.ts"
import { program } from "../support/program.ts"
import { runToEnd, sextant, spawnCommand } from "../support/Service.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const folder = join(import.meta.dirname, "../../examples/backtest")
const log = join(folder, "log.jsonl.gz")
const lines = gunzipSync(readFileSync(log)).toString().trim().split("\n")
const truth = Schema.decodeUnknownSync(Schema.Array(
  Schema.Struct({ model: Schema.String, quality: Schema.Finite, success: Schema.Finite, cost_usd: Schema.Finite })
))(JSON.parse(readFileSync(join(folder, "truth.json"), "utf8")))

describe("the example of a backtest", () => {
  it("is the log that its script writes, and so is its truth", () => {
    assert.isTrue(lines.join() === logLines().join())
    assert.deepStrictEqual(truth, logTruth())
  })

  it.live("is read whole, in the order of time, with its labels and bills", () =>
    Effect.gen(function*() {
      const batches = yield* Stream.runCollect(readLogs([log], { format: "auto" }))
      const items = batches.flatMap((batch) => batch.items)
      const calls = items.flatMap((item) => item._tag === "Call" ? [item.call] : [])
      assert.strictEqual(calls.length, items.length)
      assert.deepStrictEqual(calls.map(({ id }) => id), lines.map((line) => JSON.parse(line).id))
      const times = calls.map(({ at }) => at.getTime())
      assert.deepStrictEqual(times, times.toSorted((one, other) => one - other))
      assert.strictEqual(calls.filter(({ quality }) => quality !== null).length, 1_757)
      assert.isTrue(calls.every(({ costUsd, prompt }) => costUsd !== null && prompt !== null))
    }))

  it.live("writes and names a page, and holds the truth of every model in its intervals", () =>
    Effect.gen(function*() {
      const directory = temporaryFolder()
      const [html, json] = [join(directory, "report.html"), join(directory, "report.json")]
      const { code, stderr, stdout } = yield* sextant(["backtest", log, "--html", html, "--json", json], {})
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, `Wrote ${html}`)
      assert.include(stdout, "Assumed throughout")
      assert.match(readFileSync(html, "utf8"), /^<!doctype html>.*<\/html>\n$/s)
      assert.deepStrictEqual(readdirSync(directory).sort(), ["report.html", "report.json"])
      const { best, headline, policies } = Schema.decodeUnknownSync(BacktestReport)(
        JSON.parse(readFileSync(json, "utf8")))
      // Cheap models fail at hard work: a mixture saves less than they do, and surely something.
      assert.isTrue(best.saving !== null && best.saving.low > 0.2 && best.saving.high < 0.6)
      assert.match(headline, /^\d+ % less than today .* by Slider .* within 1 point of today's success/)
      assert.strictEqual(policies.filter(({ picks }) => picks !== null).length, 5)
      assert.include(stdout.replace(/\s+/g, " "), headline)
      assert.include(readFileSync(html, "utf8").replaceAll("&#39;", "'"), headline)
      for (const { cost_usd, model, quality } of truth) {
        const { costUsd, success } = policies.find(({ modelId }) => modelId === model) ?? {}
        assert.isTrue(costUsd != null && costUsd.low <= cost_usd && cost_usd <= costUsd.high, `cost of ${model}`)
        assert.isTrue(success != null && success.low <= quality && quality <= success.high, `success of ${model}`)
      }
    }), 60_000)
})

/** Whether a process has the log open. */
const isReading = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/fd`).some((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`) === log
    } catch {
      return false // It has been closed.
    }
  })

describe("the command backtest", () => {
  it.live("ends at Ctrl-C with 130 and a sentence, and leaves no file behind", () =>
    Effect.scoped(Effect.gen(function*() {
      const [out, temporaries] = [temporaryFolder(), temporaryFolder()]
      const paths = ["--html", join(out, "a.html"), "--json", join(out, "a.json")]
      // Read over and over, it takes minutes.
      const logs = Array.from({ length: 100 }, () => log)
      const running = yield* spawnCommand(process.execPath, [program, "backtest", ...logs, ...paths], { TMPDIR: temporaries })
      yield* Effect.sync(() => readdirSync(out)).pipe(
        Effect.repeat({ until: (names) => names.length === 2, schedule: Schedule.spaced("20 millis") }))
      yield* Effect.sync(() => isReading(running.pid)).pipe(
        Effect.repeat({ until: Boolean, schedule: Schedule.spaced("5 millis") }))
      yield* running.kill("SIGINT")
      assert.strictEqual(yield* running.exitCode, 130)
      assert.match(running.stderr(), /Interrupted\. Nothing was written\n$/)
      assert.notInclude(running.stderr(), "    at ")
      assert.strictEqual(running.stdout(), "")
      assert.deepStrictEqual([...readdirSync(out), ...readdirSync(temporaries)], [])
    })), 60_000)

  it.live("ends in quiet where its reader has closed the pipe", () =>
    Effect.gen(function*() {
      const directory = temporaryFolder()
      const path = join(directory, "log.jsonl")
      writeFileSync(path, lines.slice(0, 300).join("\n"))
      for (const more of [[], ["--json", "-"]]) {
        const command = "\"$@\" | head -1"
        const { code, stderr, stdout } = yield* runToEnd("bash", ["-o", "pipefail", "-c", command, "sh", process.execPath,
          program, "backtest", path, ...more], {})
        assert.strictEqual(code, 0, stderr)
        assert.strictEqual(stderr, "")
        assert.strictEqual(stdout.trimEnd().split("\n").length, 1)
      }
    }), 60_000)

  it.live("says of a log of one model, on the terminal, in JSON and on the page, that it cannot tell", () =>
    Effect.gen(function*() {
      const directory = temporaryFolder()
      const path = join(directory, "log.jsonl")
      writeFileSync(path, lines.slice(0, 600).map((line) => JSON.stringify({ ...JSON.parse(line), model: "gpt-5" })).join("\n"))
      const [html, json] = [join(directory, "report.html"), join(directory, "report.json")]
      const { code, stderr, stdout } = yield* sextant(
        ["backtest", path, "--models", "gpt-5,gpt-5-mini", "--html", html, "--json", json], {})
      assert.strictEqual(code, 0, stderr)
      const { headline, policies } = Schema.decodeUnknownSync(BacktestReport)(JSON.parse(readFileSync(json, "utf8")))
      const judged = policies.filter(({ verdict }) => verdict !== "baseline")
      assert.isAbove(judged.length, 5)
      for (const { name, verdict } of judged) assert.strictEqual(verdict, "not_enough", name)
      const page = readFileSync(html, "utf8").replaceAll("&#39;", "'")
      assert.match(headline, /^Not enough to tell/)
      assert.include(stdout.replace(/\s+/g, " "), headline)
      assert.include(page, headline)
      assert.include(page, "<p class=\"figure unknown\">Not enough to tell</p>")
    }), 60_000)

  it.live("refuses a path that cannot be written before it reads the log", () =>
    Effect.gen(function*() {
      const directory = temporaryFolder()
      const path = join(directory, "missing", "report.html")
      const { code, stderr } = yield* sextant(["backtest", log, "--html", path], {})
      assert.strictEqual(code, 1)
      assert.include(stderr, `${path} cannot be written`)
      assert.notInclude(stderr, "Reading")
      assert.isFalse(existsSync(path))
    }), 60_000)
})
