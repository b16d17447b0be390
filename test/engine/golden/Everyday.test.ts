/**
 * A hundred everyday tasks of `everyday.jsonl` without hints, each with what it is read as and why, asked of an account
 * without history. What is surely trivial is predicted to succeed with every model and goes to the cheapest; what is
 * easy does not go to the dearest; what is hard is within reach of the strongest, to which it goes where none is likely
 * enough, as does what is for experts; null is all between.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { thresholdAt } from "../../../src/domain/SliderThreshold.ts"
import { engine, recommend } from "../pipelines.ts"
import { bundledCatalog } from "../../support/undatedCatalog.ts"

const Golden = Schema.fromJsonString(Schema.Struct({
  task: Schema.String, reads: Schema.NullOr(Schema.Literals(["trivial", "easy", "hard", "expert"])), why: Schema.String
}))
const golden = readFileSync(new URL("./everyday.jsonl", import.meta.url), "utf8").trim().split("\n")
  .map((line) => Schema.decodeUnknownSync(Golden)(line))

/** Candidate lists as people have them: one provider's three, nine of several, another provider's. */
const lists = {
  openai: ["gpt-5-nano", "gpt-5-mini", "gpt-5"],
  mixed: [
    "mistral-small-2603", "gpt-5-nano", "gemini-3.1-flash-lite", "gpt-5-mini", "deepseek-v3.2", "claude-haiku-4-5",
    "gemini-3.7-flash", "gpt-5.5", "claude-opus-5-5"
  ],
  anthropic: ["claude-haiku-4-5", "claude-sonnet-5-5", "claude-opus-5-5"]
}
const sliders = [0, 2.5, 5, 7.5, 10]

const answersTo = (task: string, models: ReadonlyArray<string>, difficulty: typeof Golden.Type["reads"] = null) =>
  Effect.forEach(sliders, (costQualityTradeoff) => recommend({
    task: { task, taskType: null, difficulty }, costQualityTradeoff, constraints: { candidateModels: models }
  }))

describe.each(Object.entries(lists))("everyday tasks over the list %s", (_, models) => {
  it.effect.each(golden)("$task: $why", ({ reads, task }) =>
    Effect.gen(function*() {
      const answers = yield* answersTo(task, models)
      for (const [index, { classifiedDifficulty, ranked, recommendedModel }] of answers.entries()) {
        assert.strictEqual(classifiedDifficulty, reads ?? "medium")
        const slider = sliders[index]!
        const likeliest = Math.max(...ranked.map((each) => each.predictedSuccess))
        const costs = ranked.map((each) => each.estCostUsd)
        const { estCostUsd, predictedSuccess } = recommendedModel
        if (reads === "trivial") {
          for (const each of ranked) assert.isAtLeast(each.predictedSuccess, 0.93, each.modelId)
        }
        if (reads === "trivial" && slider <= 5) assert.strictEqual(estCostUsd, Math.min(...costs))
        if (reads === "easy") {
          for (const each of ranked) assert.isAtLeast(each.predictedSuccess, 0.7, each.modelId)
        }
        if (reads === "easy" && slider <= 5) assert.isBelow(estCostUsd, Math.max(...costs))
        if (reads === "hard") assert.isTrue(likeliest >= 0.5 && likeliest <= 0.9, `${likeliest}`)
        if (reads === "hard" && predictedSuccess < thresholdAt(slider)) assert.strictEqual(predictedSuccess, likeliest)
        if (reads === "expert") assert.isBelow(likeliest, 0.4)
        if (reads === "expert" && slider >= 5) assert.strictEqual(predictedSuccess, likeliest)
      }
    }).pipe(Effect.provide(engine({ catalog: bundledCatalog }))))
})

it.effect("what a text surely shows is answered as if the caller had said it, of a type and a slider", () =>
  Effect.gen(function*() {
    assert.lengthOf(golden, 100)
    for (const { reads, task } of golden.filter((each) => each.reads !== null)) {
      const [read, said] = yield* Effect.forEach([null, reads], (difficulty) => answersTo(task, lists.openai, difficulty))
      const of = (answers: typeof read) => answers?.map(({ ranked }) =>
        ranked.map(({ estCostUsd, modelId, predictedSuccess }) => [modelId, predictedSuccess, estCostUsd]))
      assert.deepStrictEqual(of(read), of(said), task)
    }
  }).pipe(Effect.provide(engine({ catalog: bundledCatalog }))))

it.effect("everyday tasks at the middle of the slider spread over at least four models", () =>
  Effect.gen(function*() {
    const picks = yield* Effect.forEach(golden, ({ task }) =>
      Effect.map(answersTo(task, lists.mixed), (answers) => answers[2]!.recommendedModel.modelId))
    assert.isAtLeast(new Set(picks).size, 4)
  }).pipe(Effect.provide(engine({ catalog: bundledCatalog }))))

it.effect("a hard talk's title goes small, and an approval in it is not trivial (case 18) (case 20)", () =>
  Effect.gen(function*() {
    const constraints = { candidateModels: [...lists.openai, "claude-opus-4-5"] }
    const title = golden.find(({ task }) => task.startsWith("Generate a short title"))!.task
    const { recommendedModel } = yield* recommend({ task: { task: title, taskType: null, difficulty: null }, constraints })
    assert.include(["gpt-5-nano", "gpt-5-mini"], recommendedModel.modelId)
    const [short, long] = yield* Effect.forEach([null, 90_000], (expectedInputTokens) =>
      recommend({ task: { task: "ok", taskType: null, difficulty: null, expectedInputTokens }, constraints }))
    assert.deepStrictEqual([short?.classifiedDifficulty, long?.classifiedDifficulty], ["trivial", "medium"])
    assert.strictEqual(short?.recommendedModel.modelId, "gpt-5-nano")
    assert.notStrictEqual(long?.recommendedModel.modelId, "gpt-5-nano")
  }).pipe(Effect.provide(engine({ catalog: bundledCatalog }))))
