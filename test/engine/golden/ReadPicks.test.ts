/**
 * Forty varied tasks without hints, asked of an account without history over the bundled catalog at the middle of the
 * slider. `read-picks.json` holds the type, the difficulty and the pick. The odd ones:
 *
 * - Greetings, "2+2" and one-line facts go to the two cheapest measured models: what they get wrong costs little.
 * - Of two models alike in price, gemma-4-31b-it and glm-5.3-flash, the cheaper for the expected output is picked.
 * - Hard tasks go to these two as well. A text alone moves a prior by half a logit at most to that side: it tells a
 *   writer's levels with a rank correlation of 0.8, and real failures with one of 0.1. A caller who knows that a task
 *   is of expert difficulty says so, and `cold-picks.json` shows the difference.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { readFileSync } from "node:fs"
import * as CatalogFile from "../../../src/catalog/file/CatalogFile.ts"
import { Difficulty, TaskType } from "../../../src/domain/Task.ts"
import { engine, recommend } from "../conductors.ts"

const Golden = Schema.fromJsonString(Schema.Array(Schema.Struct({
  task: Schema.String, taskType: TaskType, difficulty: Difficulty, pick: Schema.String
})))

const catalog = Layer.orDie(CatalogFile.layerBundled).pipe(Layer.provide(NodeFileSystem.layer))
const golden = Schema.decodeUnknownSync(Golden)(
  readFileSync(new URL("./read-picks.json", import.meta.url), "utf8")
)

it.effect("types, difficulties and picks of tasks without hints are those of the golden file", () =>
  Effect.gen(function*() {
    for (const { task, ...read } of golden) {
      const { classifiedDifficulty, classifiedTaskType, recommendedModel } = yield* recommend({
        task: { task, taskType: null, difficulty: null }, costQualityTradeoff: 5
      })
      assert.deepStrictEqual(
        { taskType: classifiedTaskType, difficulty: classifiedDifficulty, pick: recommendedModel.modelId }, read, task
      )
    }
  }).pipe(Effect.provide(engine({ catalog }))), 60_000)

it("picks for tasks without hints spread over at least four models, and their difficulties over five levels", () => {
  assert.lengthOf(golden, 40)
  assert.isAtLeast(new Set(golden.map(({ pick }) => pick)).size, 4)
  assert.strictEqual(new Set(golden.map(({ difficulty }) => difficulty)).size, 5)
})
