import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { dataDirectory, temporaryDirectory } from "../support/Databases.ts"
import { program } from "../support/program.ts"
import { requestJson, sextant, spawnCommand, startService } from "../support/Service.ts"

const hourMs = 3_600_000
const prompt = (i: number) => `Write a function that sorts list number ${i % 7} of integers`

/** A call an hour until now, as a row of our own; every model in turn. */
const rowsOf = (count: number, models: ReadonlyArray<object>): string =>
  Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      id: `call-${i}`, at: new Date(Date.now() - (count - i) * hourMs).toISOString(), prompt: prompt(i),
      tokens: { input: 40, output: 120 }, cost_usd: 0.001, latency_ms: 900, score: i % 5 === 0 ? 0 : 1,
      evidence_source: "gate", task_type: "code", difficulty: "medium", ...models[i % models.length]
    })).join("\n")

const Ranked = Schema.Struct({
  model_id: Schema.String, effort: Schema.NullOr(Schema.String), evidence: Schema.Array(Schema.Unknown)
})
const Health = Schema.Struct({ section_health: Schema.Array(Schema.Struct({ name: Schema.String, count: Schema.Int })) })
const Advice = Schema.Struct({ warnings: Schema.Array(Schema.String), ranked: Schema.Array(Ranked) })

/** How much evidence each model and level of effort has. */
const evidenceOf = ({ ranked }: typeof Advice.Type): ReadonlyMap<string, number> =>
  new Map(ranked.map(({ effort, evidence, model_id }) => [`${model_id} ${effort ?? ""}`, evidence.length]))

/** A service, and an import of such rows that has begun to add outcomes to it. */
const importing = Effect.fnUntraced(function*(rows: number, models: ReadonlyArray<object>) {
  const environment = { SEXTANT_DATA_DIR: yield* dataDirectory }
  const service = yield* startService(environment)
  const log = join(yield* temporaryDirectory, "calls.jsonl")
  writeFileSync(log, rowsOf(rows, models))
  const outcomes = Effect.map(requestJson(Health, service, "/v1/memory/health"), ({ section_health }) =>
    section_health.find(({ name }) => name === "observation")?.count ?? 0)
  const running = yield* spawnCommand(process.execPath, [program, "import", log, "--instance", "acme"], environment)
  yield* outcomes.pipe(Effect.repeat({ until: (count) => count > 0, schedule: Schedule.spaced("20 millis") }))
  return { environment, log, outcomes, running }
})

describe("`sextant import`", () => {
  it.live("gives a running service evidence until it is undone, and names models it does not know", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const environment = { SEXTANT_DATA_DIR: yield* dataDirectory }
      const service = yield* startService(environment)
      const log = join(directory, "calls.jsonl")
      writeFileSync(log, rowsOf(60, [
        { model: "claude-haiku-4-5" }, { model: "gpt-5-mini", effort: "Low" }, { model: "claude-haku-4-5" }
      ]))
      const advice = requestJson(Advice, service, "/v1/recommend", {
        task: { task: prompt(3), task_type: "code", difficulty: "medium" }, allow_llm_escalation: false,
        constraints: { candidate_models: ["claude-haiku-4-5", "gpt-5-mini", "gpt-5-mini#low"] }
      })
      /** The advice once the service sees what a command did. */
      const once = (isSeen: (seen: typeof Advice.Type) => boolean) =>
        advice.pipe(Effect.repeat({ until: isSeen, schedule: Schedule.spaced("50 millis") }), Effect.timeout("10 seconds"))
      const command = (...args: ReadonlyArray<string>) => sextant([...args, "--instance", "acme"], environment)
      assert.include((yield* advice).warnings, "cold_start")

      const tried = yield* command("import", log, "--dry-run")
      assert.include(tried.stdout, "60 rows read, 40 outcomes would be added: 40 with a label")
      assert.include(tried.stdout, "claude-haku-4-5: 20 rows")
      assert.include((yield* advice).warnings, "cold_start")

      const twice = join(directory, "twice.jsonl")
      const bad = JSON.stringify({ at: "2026-11-01T00:00:00Z", model: "gpt-5-mini", prompt: "Sort", score: 1, cost_usd: "0,5" })
      writeFileSync(twice, [...rowsOf(30, [{ model: "gpt-5-mini" }]).split("\n").flatMap((row) => [row, row]), bad].join("\n"))
      const looked = yield* command("import", twice, "--dry-run")
      assert.include(looked.stdout, "61 rows read, 31 outcomes would be added: 31 with a label")
      assert.include(looked.stdout, "30 were there already, or came before in the same log")
      assert.include(looked.stdout, "(first \"cost_usd: 0,5\")")

      const done = yield* command("import", log, "--by-effort")
      assert.strictEqual(done.code, 0, done.stderr)
      assert.include(done.stdout, "60 rows read, 40 outcomes added")
      const after = yield* once(({ warnings }) => !warnings.includes("cold_start"))
      const evidence = evidenceOf(after)
      assert.isAbove(evidence.get("claude-haiku-4-5 ") ?? 0, 0)
      assert.isAbove(evidence.get("gpt-5-mini low") ?? 0, 0)

      const aliased = yield* command("import", log, "--model-alias", "claude-haku-4-5=claude-haiku-4-5")
      assert.include(aliased.stdout, "60 rows read, 20 outcomes added", aliased.stderr)
      const refused = yield* command("import", log, "--model-alias", "claude-haku-4-5=claude-haku")
      assert.notStrictEqual(refused.code, 0)
      assert.include(refused.stdout + refused.stderr, "claude-haku-4-5=claude-haku")

      const listed = yield* command("import", "--list")
      const ids = listed.stdout.trim().split("\n").map((line) => line.split("\t")[0] ?? "")
      assert.lengthOf(ids, 2)
      for (const id of ids) assert.strictEqual((yield* command("memory", "undo", "--import", id)).code, 0)
      yield* once(({ warnings }) => warnings.includes("cold_start"))

      // Without the flag a call teaches its model, whatever level ran.
      assert.strictEqual((yield* command("import", log)).code, 0)
      const plain = evidenceOf(yield* once(({ warnings }) => !warnings.includes("cold_start")))
      assert.isAbove(plain.get("gpt-5-mini ") ?? 0, 0)
      assert.strictEqual(plain.get("gpt-5-mini low"), 0)
    })), 120_000)

  it.live("ends at Ctrl-C with 130 and how to go on, and is undone as a whole from there", () =>
    Effect.scoped(Effect.gen(function*() {
      const { environment, outcomes, running } = yield* importing(6_000, [{ model: "claude-haiku-4-5" }])
      yield* running.kill("SIGINT")
      assert.strictEqual(yield* running.exitCode, 130)
      assert.strictEqual(running.stdout(), "")
      const [, undone = ""] = /Interrupted\. What was added stays\..* sextant (memory undo .*)\n$/.exec(running.stderr()) ?? []
      const before = yield* outcomes
      const { code, stdout } = yield* sextant(undone.split(" "), environment)
      assert.strictEqual(code, 0)
      assert.include(stdout, `${before} outcomes deleted`)
      assert.strictEqual(yield* outcomes, 0)
      assert.include((yield* sextant(["import", "--list", "--instance", "acme"], environment)).stdout, "acme has no imports")
    })), 120_000)

  it.live("goes on after its process was killed, and counts every row once", () =>
    Effect.scoped(Effect.gen(function*() {
      const rows = 6_000
      const { environment, log, outcomes, running: killed } =
        yield* importing(rows, [{ model: "claude-haiku-4-5" }, { model: "gpt-5-mini" }])
      yield* killed.kill("SIGKILL")
      assert.isNull(yield* killed.exitCode)
      const before = yield* outcomes
      assert.isBelow(before, rows)
      const { code, stderr, stdout } = yield* sextant(["import", log, "--instance", "acme"], environment)
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, "Going on with the import")
      const [, added = ""] = /([\d,]+) outcomes added/.exec(stdout) ?? []
      // A transaction that was being committed may end after its process.
      assert.isAtMost(Number(added.replaceAll(",", "")), rows - before)
      assert.isAbove(Number(added.replaceAll(",", "")), 0)
      assert.strictEqual(yield* outcomes, rows)
      const listed = yield* sextant(["import", "--list", "--instance", "acme"], environment)
      assert.match(listed.stdout, new RegExp(`^\\S+\\t\\S+\\tdone\\t\\S+\\t${rows} rows read\\t${rows} added\\t0 left out\\tcalls.jsonl\\n$`))
    })), 120_000)
})
