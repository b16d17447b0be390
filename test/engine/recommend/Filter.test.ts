import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { noAccountModels } from "../../../src/domain/account/AccountModels.ts"
import type { Difficulty, TaskType } from "../../../src/domain/Task.ts"
import { filter } from "../../../src/engine/recommend/Filter.ts"
import { Settings } from "../../../src/engine/Settings.ts"
import { card, classified, measuredCard, request, snapshot, task } from "../../support/builders.ts"
import { catalogOf } from "../../support/fakes.ts"

const small = card("small", { contextWindow: 8_000, aliases: ["small-latest"] })
const cached = card("cached", { provider: "Bolt", supportsPromptCaching: true, contextWindow: 200_000 })
const large = card("large", { provider: "Bolt", contextWindow: 1_000_000 })
const three = snapshot([small, cached, large])

const run = (
  ask: Parameters<typeof request>[0], models = three, asClassified = classified(), hasHardBudget = false
) =>
  filter(request(ask), asClassified, noAccountModels, () => new Map(), hasHardBudget).pipe(
    Effect.provide(Layer.mergeAll(catalogOf(models), Settings.layer()))
  )

it.effect("constraints that leave no model fail with no candidate models", () =>
  Effect.gen(function*() {
    for (const constraints of [
      { candidateModels: ["nobody"] }, { candidateModels: [] }, { allowedProviders: ["nobody"] },
      { excludedModels: ["small", "cached", "large"] }, { requireContextWindow: 2_000_000 }
    ]) {
      const failure = yield* Effect.flip(run({ constraints }))
      assert.deepStrictEqual([failure._tag, failure.stepId], ["NoCandidateModels", null])
    }
  }))

const many = snapshot(Array.from({ length: 12 }, (_, i) => measuredCard(`m${i}`, 0.4 + i / 25, i + 1)))

it.effect("an explicit list longer than the cap says how many were cut, a cut catalog says nothing", () =>
  Effect.gen(function*() {
    const listed = { candidateModels: many.models.map((each) => each.modelId) }
    assert.deepStrictEqual((yield* run({ constraints: listed }, many)).warnings, ["candidates_capped:4"])
    assert.deepStrictEqual((yield* run({ constraints: listed, maxCandidates: 12 }, many)).warnings, [])
    const whole = yield* run({}, many)
    assert.deepStrictEqual(whole.warnings, [])
    assert.strictEqual(whole.candidates.length, 8)
  }))

it.effect("incumbent and baseline keep a place, by alias too, unless a constraint removes them", () =>
  Effect.gen(function*() {
    const dull = [
      card("dull-1", { inputCostPerMtok: 50, aliases: ["dull"] }), card("dull-2", { inputCostPerMtok: 50 })
    ]
    const models = snapshot([...many.models, ...dull])
    const of = (ask: Parameters<typeof request>[0]) =>
      Effect.map(run({ maxCandidates: 3, ...ask }, models), ({ candidates }) =>
        candidates.map((each) => each.card.modelId))
    const kept = yield* of({ incumbentModelId: "dull", baselineModelId: "dull-2" })
    assert.includeMembers([...kept], ["dull-1", "dull-2"])
    const gone = yield* of({ incumbentModelId: "dull", constraints: { excludedModels: ["dull-1"] } })
    assert.notInclude([...gone], "dull-1")
  }))

it.effect("with one place for both, the incumbent's warm cache beats the baseline in any order", () =>
  Effect.gen(function*() {
    for (const models of [three.models, [...three.models].reverse()]) {
      const { candidates } = yield* run(
        { maxCandidates: 1, incumbentModelId: "cached", baselineModelId: "small" },
        snapshot(models)
      )
      assert.deepStrictEqual(candidates.map((each) => each.card.modelId), ["cached"])
    }
  }))

it.effect("the short list is the same for every type, difficulty and length of a lane's tasks", () =>
  Effect.gen(function*() {
    const models = snapshot(Array.from({ length: 20 }, (_, i) =>
      ({ ...measuredCard(`m${i}`, 0.4 + i / 40, 2 ** (i / 2)), outputCostPerMtok: (i * 7) % 11 + i })))
    const of = (taskType: TaskType, difficulty: Difficulty, expectedInputTokens: number | null) =>
      Effect.map(
        run({ task: task({ expectedInputTokens }) }, models, classified({ taskType, difficulty })),
        ({ candidates }) => candidates.map((each) => each.card.modelId)
      )
    const usual = yield* of("other", "medium", null)
    assert.deepStrictEqual(yield* of("rag", "expert", null), usual)
    assert.deepStrictEqual(yield* of("creative", "trivial", 100_000), usual)
  }))

it.effect("a cost budget fills the short list with what is within it, then with the rest", () =>
  Effect.gen(function*() {
    const of = (maxCostPerCall: number) =>
      Effect.map(run({ maxCandidates: 5, constraints: { maxCostPerCall } }, many), ({ candidates }) =>
        candidates.map((each) => each.card.modelId).sort())
    // 1,500 tokens in at i + 1 and 900 out at 4 (i + 1) USD per million: 0.0051 (i + 1).
    assert.deepStrictEqual(yield* of(0.0051 * 5.5), ["m0", "m1", "m2", "m3", "m4"])
    const [first, ...rest] = yield* of(0.0051 * 1.5)
    assert.strictEqual(first, "m0")
    assert.lengthOf(rest, 4)
    assert.lengthOf(yield* of(0), 5)
  }))

it.effect("a limit on cost leaves out a variant whose price is not known, unless nothing else is left", () =>
  Effect.gen(function*() {
    const of = (candidateModels: ReadonlyArray<string>, limit: {
      readonly call?: number; readonly total?: number; readonly isHard?: boolean
    } = {}) =>
      Effect.map(
        run({ constraints: { candidateModels, maxCostPerCall: limit.call ?? null }, maxTotalCostUsd: limit.total ?? null },
          snapshot([small, large]), classified(), limit.isHard),
        ({ candidates, warnings }) => [candidates.map(({ card: { modelId } }) => modelId).sort().reverse(), warnings]
      )
    const unknown = "price_unknown:small"
    for (const name of ["small:online", "small:priority"]) {
      assert.deepStrictEqual(yield* of([name, "large"]), [["small", "large"], [unknown]])
      // So does a limit on the cost of all attempts, and a hard budget.
      for (const limit of [{ call: 100 }, { total: 100 }, { isHard: true }]) {
        assert.deepStrictEqual(yield* of([name, "large"], limit), [["large"], [unknown]])
      }
      assert.deepStrictEqual(yield* of([name], { isHard: true }), [["small"], [unknown]])
      assert.deepStrictEqual(yield* of([name], { call: 100 }), [["small"], [unknown, "no_model_within_cost_budget"]])
    }
    assert.deepStrictEqual(yield* of(["small:free", "large"], { call: 100 }), [["small", "large"], []])
    assert.deepStrictEqual(yield* of(["small:batch", "large"], { total: 100, isHard: true }), [["small", "large"], []])
  }))
