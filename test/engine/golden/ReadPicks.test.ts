/**
 * Forty varied tasks without hints, asked of an account without history over the bundled catalog. `read-picks.json`
 * holds the type, the difficulty, and the picks at sliders 0, 5 and 10. The odd ones:
 *
 * - What is surely trivial goes to the cheapest measured model, and what is surely for experts to the strongest.
 * - What is easy, hard or neither goes to one model by slider: else a text alone moves a prior by half a logit at most,
 *   since it tells writers' levels with a rank correlation of 0.8, but real failures with one of 0.1.
 * - Where the caller gives type and difficulty, `cold-picks.json` shows how far picks spread.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { difficulties, Difficulty, TaskType } from "../../../src/domain/Task.ts"
import { engine, recommend } from "../pipelines.ts"
import { bundledCatalog } from "../../support/undatedCatalog.ts"

const Golden = Schema.fromJsonString(Schema.Array(Schema.Struct({
  task: Schema.String, taskType: TaskType, difficulty: Difficulty, picks: Schema.Array(Schema.String)
})))

const sliders = [0, 5, 10]
const golden = Schema.decodeUnknownSync(Golden)(
  readFileSync(new URL("./read-picks.json", import.meta.url), "utf8")
)

it.effect("types, difficulties and picks of tasks without hints are those of the golden file", () =>
  Effect.gen(function*() {
    for (const { difficulty, picks, task, taskType } of golden) {
      const answers = yield* Effect.forEach(sliders, (costQualityTradeoff) =>
        recommend({ task: { task, taskType: null, difficulty: null }, costQualityTradeoff }))
      assert.deepStrictEqual(answers.map(({ classifiedDifficulty, classifiedTaskType, recommendedModel }) =>
        [classifiedTaskType, classifiedDifficulty, recommendedModel.modelId]),
      picks.map((pick) => [taskType, difficulty, pick]), task)
    }
  }).pipe(Effect.provide(engine({ catalog: bundledCatalog }))), 60_000)

it("tasks without hints have every difficulty: a greeting the lowest, a proof not the highest", () => {
  assert.lengthOf(golden, 40)
  assert.deepStrictEqual(new Set(golden.map(({ difficulty }) => difficulty)), new Set(difficulties))
  const of = (task: RegExp) => golden.find((each) => task.test(each.task))?.difficulty
  assert.deepStrictEqual([of(/^hi$/), of(/convex and/)], ["trivial", "hard"])
})
