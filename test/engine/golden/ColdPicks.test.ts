/**
 * Forty tasks with type and difficulty given, asked of an account without history over the bundled catalog.
 * `cold-picks.json` holds the picks at sliders 0, 5 and 10. A practitioner would nod at each; the odd ones:
 *
 * - All tasks of a difficulty go to the same models, whatever their type: until a lane has outcomes, a prior is of the
 *   model and the difficulty alone.
 * - "hi" and the other trivial tasks go to llama-3.1-8b-instant, the cheapest measured model: it predicts 0.90.
 * - The expert tasks go to claude-opus-5-5, the likeliest: no model clears the threshold of 0.55.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import { Difficulty, TaskType } from "../../../src/domain/Task.ts"
import { isMeasured } from "../../../src/engine/recommend/prediction/Prior.ts"
import { engine, recommend } from "../pipelines.ts"
import { bundledCatalog } from "../../support/undatedCatalog.ts"

const Golden = Schema.fromJsonString(Schema.Array(Schema.Struct({
  task: Schema.String,
  taskType: TaskType,
  difficulty: Difficulty,
  picks: Schema.Array(Schema.String)
})))

const sliders = [0, 5, 10]
const golden = Schema.decodeUnknownSync(Golden)(
  readFileSync(new URL("./cold-picks.json", import.meta.url), "utf8")
)

it.effect("cold picks over the bundled catalog are those of the golden file", () =>
  Effect.gen(function*() {
    for (const { picks, ...task } of golden) {
      const found = yield* Effect.forEach(sliders, (costQualityTradeoff) =>
        Effect.map(recommend({ task, costQualityTradeoff }), ({ recommendedModel }) => recommendedModel.modelId))
      assert.deepStrictEqual(found, picks, task.task)
    }
  }).pipe(Effect.provide(engine({ catalog: bundledCatalog }))), 60_000)

it("cold picks at the middle of the slider spread over at least four models", () => {
  assert.lengthOf(golden, 40)
  assert.isAtLeast(new Set(golden.map(({ picks }) => picks[1])).size, 4)
})

it.effect("cold picks at sliders 0 and 5 are models that a benchmark measured", () =>
  Effect.gen(function*() {
    const { models } = yield* (yield* Catalog).snapshot
    for (const modelId of golden.flatMap(({ picks }) => picks.slice(0, 2))) {
      const card = models.find((each) => each.modelId === modelId)
      assert.isTrue(card !== undefined && isMeasured(card), modelId)
    }
  }).pipe(Effect.provide(bundledCatalog)))

it("a trivial and an expert task of one type differ in their pick at every slider", () => {
  const of = (task: RegExp) => golden.find((each) => task.test(each.task))?.picks ?? []
  const [trivial, expert] = [of(/^Print the numbers/), of(/lock-free/)]
  sliders.forEach((_, i) => assert.notStrictEqual(trivial[i], expert[i]))
})
