import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, feedback, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const task = { task: "Write a function that sums a list", task_type: "code", difficulty: "medium" }
const unknown = (body: Readonly<Record<string, unknown>>) =>
  ((body["warnings"] ?? []) as ReadonlyArray<string>).filter((warning) => warning.startsWith("unknown_field:"))

const over = Effect.provide(engineService({}))

describe("A field that the schema does not have", () => {
  it.live("is said with its path in an answer that is otherwise the same", () =>
    Effect.gen(function*() {
      const right = yield* recommend()
      const { body, status } = yield* recommend({ constraints: { candidate_model: ["cheap"] }, Slider: 3 })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body["warnings"], [
        "unknown_field:constraints.candidate_model", "unknown_field:Slider", ...right.body["warnings"] as ReadonlyArray<string>
      ])
      assert.deepStrictEqual(Object.keys(body), Object.keys(right.body))
      assert.deepStrictEqual(unknown(right.body), [])
    }).pipe(over), 60_000)

  it.live("is said of the tasks and constraints of a workflow's steps, at most five in all", () =>
    Effect.gen(function*() {
      const steps = [
        { step_id: "plan", task: { ...task, taskType: "code" }, constraints: { min_quality: 0.5, quality: 1 } },
        { step_id: "write", task, depends: ["plan"], depends_on: ["plan"] }
      ]
      const json = { steps, constraints: { max_cost: 1 }, max_candidates: 3, slider: 1, more: 1 }
      const { body } = yield* sendRequest("POST", "/v1/recommend/workflow", { key, json })
      assert.deepStrictEqual(body["warnings"], [
        "unknown_field:steps.0.task.taskType", "unknown_field:steps.0.constraints.quality", "unknown_field:steps.1.depends",
        "unknown_field:constraints.max_cost", "unknown_field:max_candidates"
      ])
    }).pipe(over), 60_000)

  it.live("is said of a feedback and of its steps, each time that it is sent", () =>
    Effect.gen(function*() {
      const { body: { recommendation_id } } = yield* recommend()
      const said = { costUsd: 1, step_outcomes: [{ step_id: "s", outcome: "success", score: 1 }] }
      for (const _ of [1, 2]) {
        const { body } = yield* feedback(recommendation_id, said)
        assert.isTrue(body["accepted"])
        assert.deepStrictEqual(unknown(body), ["unknown_field:costUsd", "unknown_field:step_outcomes.0.score"])
      }
      assert.deepStrictEqual(unknown((yield* feedback(recommendation_id, { notes: "" })).body), [])
    }).pipe(over), 60_000)

  it.live("is quoted, cleaned and cut when its name is not one plain word", () =>
    Effect.gen(function*() {
      const names = ["", "a b", "\u001b[31m\nx", "__proto__", "y".repeat(100_000)]
      const { body } = yield* recommend(Object.fromEntries([
        ...names.filter((name) => name !== "__proto__").map((name) => [name, 1])
      ]))
      assert.deepStrictEqual(unknown(body).slice(0, 3), [
        "unknown_field:\"\"", "unknown_field:\"a b\"", "unknown_field:\"[31m x\""
      ])
      assert.isBelow(Math.max(...unknown(body).map((warning) => warning.length)), 100)
      const proto = yield* sendRequest("POST", "/v1/recommend", {
        key,
        init: {
          body: JSON.stringify({ task }).replace(/}$/, ",\"__proto__\":{\"task\":1}}"),
          headers: { "content-type": "application/json" }
        }
      })
      assert.deepStrictEqual(unknown(proto.body), ["unknown_field:__proto__"])
    }).pipe(over), 60_000)

  it.live("does not make a large body dear, nor one of twenty thousand unknown names", () =>
    Effect.gen(function*() {
      const many = Object.fromEntries(Array.from({ length: 19_000 }, (_, i) => [`f${i}`, 0]))
      const { body, status } = yield* recommend(many)
      assert.strictEqual(status, 200)
      assert.lengthOf(unknown(body), 5)
    }).pipe(over), 60_000)
})
