import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { degrade, Notes } from "../../src/engine/Notes.ts"

class Slow extends Schema.TaggedError<Slow>()("Slow", {}) {}
class Broken extends Schema.TaggedError<Broken>()("Broken", {}) {}

const stage = (failure: Slow | Broken | null): Effect.Effect<number, Slow | Broken> =>
  failure === null ? Effect.succeed(1) : Effect.fail(failure)

/** What a stage yields, and the warnings that are noted beside it. */
const noted = <A, R>(closing: (notes: Notes) => Effect.Effect<A, never, R>) => {
  const notes = new Notes()
  return Effect.map(closing(notes), (value) => ({ value, warnings: notes.warnings }))
}

const closed = (failure: Slow | Broken | null) =>
  noted((notes) => degrade(notes, stage(failure), {
    orElse: () => "nothing",
    warnings: { Slow: "recall_timeout", Broken: "memory_unavailable" }
  }))

it.effect("a stage that succeeds is passed on without a warning", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* closed(null), { value: 1, warnings: [] })
  }))

it.effect("each failure becomes the fallback and the warning named for its tag", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* closed(new Slow()), { value: "nothing", warnings: ["recall_timeout"] })
    const broken = yield* closed(new Broken())
    assert.deepStrictEqual(broken, { value: "nothing", warnings: ["memory_unavailable"] })
  }))

it.effect("a failure that no warning names is only logged", () =>
  Effect.gen(function*() {
    const coarse = noted((notes) => degrade(notes, stage(new Slow()), {
      orElse: () => 2,
      warnings: { Slow: { log: "The answer is coarser" }, Broken: "memory_unavailable" }
    }))
    assert.deepStrictEqual(yield* coarse, { value: 2, warnings: [] })
  }))

it.effect("a defect is no failure and is not degraded", () =>
  Effect.gen(function*() {
    const notes = new Notes()
    const bug = degrade(notes, Effect.die("bug") as Effect.Effect<number, Slow>, {
      orElse: () => 0,
      warnings: { Slow: "recall_timeout" }
    })
    assert.isTrue((yield* Effect.exit(bug))._tag === "Failure")
    assert.deepStrictEqual(notes.warnings, [])
  }))

it("warnings are in the order in which they are noted, those of a place where it was taken", () => {
  const notes = new Notes()
  assert.deepStrictEqual(notes.warnings, [])
  notes.add("llm_classified")
  const [first, second] = [notes.place(), notes.place()]
  notes.add("prices_stale", "cold_start")
  second.add("budget_unavailable")
  first.add("recall_timeout")
  first.add("embedder_failed")
  notes.add()
  assert.deepStrictEqual(notes.warnings, [
    "llm_classified", "recall_timeout", "embedder_failed", "budget_unavailable", "prices_stale", "cold_start"
  ])
  assert.deepStrictEqual(first.warnings, ["recall_timeout", "embedder_failed"])
})

const root = resolve(import.meta.dirname, "../..")

const source = (warnings: string) => `
import { Effect, Schema } from "effect"
import { degrade, Notes } from "../../../src/engine/Notes.ts"
class Slow extends Schema.TaggedError<Slow>()("Slow", {}) {}
class Broken extends Schema.TaggedError<Broken>()("Broken", {}) {}
declare const stage: Effect.Effect<number, Slow | Broken>
export const closed: Effect.Effect<number> =
  degrade(new Notes(), stage, { orElse: () => 0, warnings: ${warnings} })
`

const cases = {
  control: `{ Slow: "recall_timeout", Broken: "memory_unavailable" }`,
  unmapped: `{ Slow: "recall_timeout" }`,
  extra: `{ Slow: "recall_timeout", Broken: "memory_unavailable", Gone: "memory_unavailable" }`,
  misspelt: `{ Slow: "recall_timeuot", Broken: "memory_unavailable" }`,
  foreign: `{ Slow: "recall_timeout", Broken: "outcome_replaced" }`
}

/** What the project's compiler says about each case, in a dot folder that no other compilation includes. */
const compile = (): string => {
  const folder = mkdtempSync(join(import.meta.dirname, ".types-"))
  try {
    for (const [name, warnings] of Object.entries(cases)) {
      writeFileSync(join(folder, `${name}.ts`), source(warnings))
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({
      extends: join(root, "tsconfig.json"),
      include: [],
      files: Object.keys(cases).map((name) => `${name}.ts`)
    }))
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    return spawnSync(process.execPath, [compiler, "--noEmit", "--pretty", "false", "-p", folder], {
      encoding: "utf8"
    }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it("a warning that is missing, extra, misspelt or of no recommendation does not compile", () => {
  const said = compile()
  const lines = said.split(/\n(?=\S)/)
  const about = (name: string) => lines.filter((line) => line.includes(`${name}.ts(`)).join("\n")
  assert.strictEqual(about("control"), "")
  assert.match(about("unmapped"), /'Broken' is missing/)
  assert.match(about("extra"), /error TS[\s\S]*(Gone|never)/)
  assert.match(about("misspelt"), /recall_timeuot/)
  assert.match(about("foreign"), /outcome_replaced/)
})
