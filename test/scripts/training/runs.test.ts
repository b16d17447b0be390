import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { capabilitiesOf } from "../../../scripts/bench/arena/attempts.ts"
import { bundledRows } from "../../../scripts/training/priors.ts"
import {
  idOf, runAbilities, runCapabilities, runSets, type Standing, standingOf, transferOf
} from "../../../scripts/training/runs.ts"
import { isMeasured } from "../../../src/engine/recommend/prediction/Prior.ts"
import * as Logit from "../../../src/stats/Logit.ts"

const cards = bundledRows()
const setOf = (logits: Readonly<Record<string, number>>): Standing => new Map(Object.entries(logits))
const abilityOf = (sets: ReadonlyArray<Standing>, id: string): number => runAbilities(sets).get(id) ?? assert.fail(id)

it("a model's standing is the logit of its success with half a success and half a failure more", () => {
  const run = (quality: number) => ({ quality, cost_usd: 1 })
  const row = (good: number, bad: number) =>
    ({ dataset: "s", task_type: "code", prompt: "t", models: { good: run(good), bad: run(bad) } })
  assert.deepStrictEqual([...standingOf([row(1, 0), row(1, 1), row(1, 0)])], [
    ["good", Logit.logit(3.5 / 4)], ["bad", Logit.logit(1.5 / 4)]
  ])
})

it("sets on which models stand alike say all of each other, whatever their levels", () => {
  const sets = [setOf({ a: 1, b: 0, c: -1 }), setOf({ a: 5, b: 4, c: 3 })]
  const { own, shared, slope } = transferOf(sets)
  assert.closeTo(slope, 1, 1e-12)
  assert.closeTo(own, 0, 1e-6)
  assert.closeTo(shared ** 2, 2 / 3, 1e-12)
  assert.deepStrictEqual([...runAbilities(sets).values()], [1, 0, -1])
})

it("a set twice as wide says 0.8 of the other, and the mean of both is shrunk to eight ninths", () => {
  // Variances 2/3 and 8/3, covariance 4/3: 4/3 over their mean 5/3. Two of them: 2 * 0.8 / 1.8.
  const sets = [setOf({ a: 1, b: 0, c: -1 }), setOf({ a: 2, b: 0, c: -2 })]
  assert.closeTo(transferOf(sets).slope, 0.8, 1e-12)
  assert.closeTo(abilityOf(sets, "a"), 1.5 * 8 / 9, 1e-12)
})

it("a model that only one set has is shrunk by the slope, and a set alone is not shrunk", () => {
  const [wide, narrow] = [setOf({ a: 2, b: 0, c: -2, only: 1 }), setOf({ a: 1, b: 0, c: -1 })]
  assert.closeTo(abilityOf([wide, narrow], "only"), 0.8, 1e-12)
  assert.strictEqual(transferOf([narrow]).slope, 1)
  assert.deepStrictEqual([...runAbilities([narrow])], [["a", 1], ["b", 0], ["c", -1]])
})

const Logits = Schema.Array(Schema.Finite.check(Schema.isBetween({ minimum: -3, maximum: 3 })))
  .check(Schema.isMinLength(3), Schema.isMaxLength(8))

it.prop("one set says between nothing and all of another, and no order of sets changes an ability", {
  one: Logits, shift: Schema.Finite.check(Schema.isBetween({ minimum: -2, maximum: 2 }))
}, ({ one, shift }) => {
  const a = new Map(one.map((logit, i) => [`m${i}`, logit + i / 10]))
  const b = new Map(one.map((logit, i) => [`m${i}`, Math.sin(7 * logit) + i / 10 + shift]))
  const { slope } = transferOf([a, b])
  assert.isAtLeast(slope, 0)
  assert.isAtMost(slope, 1 + 1e-9)
  for (const [id, ability] of runAbilities([a, b])) assert.closeTo(abilityOf([b, a], id), ability, 1e-9)
})

it("capabilities at runs keep the models' order, and have the level of their code", () => {
  const ids = ["claude-fable-5", "gpt-5.4", "minimax-m3"]
  const capabilities = runCapabilities([setOf({ "claude-fable-5": 2, "gpt-5.4": 0, "minimax-m3": 1, "not listed": -1 })], cards)
  const at = (id: string) => Logit.logit(capabilities.get(id) ?? assert.fail(id))
  const code = (id: string) => Logit.logit(cards.find((card) => card.model_id === id)?.capability_by_task_type["code"] ?? 0)
  const sum = (of: (id: string) => number) => ids.reduce((total, id) => total + of(id), 0)
  assert.closeTo(sum(at), sum(code), 1e-9)
  assert.closeTo(at("claude-fable-5") - at("minimax-m3"), 1, 1e-9)
  assert.closeTo(at("minimax-m3") - at("not listed"), 2, 1e-9)
})

it("a recorded name is the catalog's id in any case, by an alias or by the table, else itself", () => {
  const names = ["GPT-5.4", "Gemini-3-Flash", "gpt-5-4", "GLM-5", "Kimi-K2.5"]
  assert.deepStrictEqual(names.map((name) => idOf(cards, name)), [
    "gpt-5.4", "gemini-3-flash-preview", "gpt-5.4", "GLM-5", "Kimi-K2.5"
  ])
})

it("a benchmark of attempts has its priors from the other sets: the judged one need not exist", () => {
  const folder = mkdtempSync(join(tmpdir(), "sextant-runs-"))
  try {
    const [judged, other] = runSets
    const run = (quality: number) => ({ quality, cost_usd: 1 })
    const row = { dataset: other, task_type: "code", prompt: "t", models: { "GPT-5.4": run(1), "MiniMax-M3": run(0) } }
    writeFileSync(join(folder, `${other}.jsonl.gz`), gzipSync(JSON.stringify(row)))
    const known = capabilitiesOf({ folder, set: judged, priors: "runs" })
    assert.isAbove(known("gpt-5.4")["agent_run"] ?? 0, known("minimax-m3")["agent_run"] ?? 1)
    assert.notProperty(capabilitiesOf({ folder, set: judged, priors: "catalog" })("gpt-5.4"), "agent_run")
    assert.deepStrictEqual(capabilitiesOf({ folder, set: judged, priors: "none" })("gpt-5.4"), {})
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const RunsFile = Schema.Struct({
  source: Schema.NonEmptyString, licence: Schema.String, as_of: Schema.String,
  models: Schema.Array(Schema.Struct({
    model_id: Schema.String, agent_run: Schema.Finite.check(Schema.isBetween({ minimum: 0.02, maximum: 0.985 })),
    sets: Schema.Array(Schema.Literals(runSets)).check(Schema.isMinLength(1), Schema.isMaxLength(runSets.length))
  }))
})

it("the catalog's runs are of its measured models, each once, with their source and licence", () => {
  const path = new URL("../../../src/catalog/file/runs.json", import.meta.url)
  const { as_of, licence, models } = Schema.decodeUnknownSync(Schema.fromJsonString(RunsFile))(readFileSync(path, "utf8"))
  assert.match(licence, /^MIT\b/)
  assert.match(as_of, /^\d{4}-\d\d-\d\d$/)
  const ids = models.map(({ model_id }) => model_id)
  assert.deepStrictEqual(ids, [...new Set(ids)].toSorted())
  for (const id of ids) {
    const card = cards.find(({ model_id }) => model_id === id) ?? assert.fail(id)
    assert.isTrue(isMeasured({
      capabilityByTaskType: card.capability_by_task_type, capabilitySource: card.capability_source
    }), id)
  }
})
