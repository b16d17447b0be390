import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, key, recommend, teach } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

/* `detail: "short"`: the models other than the recommended one without their explanations. */

type Model = Readonly<Record<string, unknown>>

interface Answered {
  readonly recommended_model: Model
  readonly ranked: ReadonlyArray<Model>
  readonly fallback_model: Model | null
}

const explanations = ["evidence", "est_cost_breakdown", "rationale"]
const answered = (over: object) => Effect.map(recommend(over), ({ body }) => body as unknown as Answered)
const without = ({ evidence: _, est_cost_breakdown: __, rationale: ___, ...rest }: Model) => rest

layer(engineService({}), { excludeTestServices: true })("a short answer", (it) => {
  it.effect("explains the recommended model alone, and says the same of every model otherwise", () =>
    Effect.gen(function*() {
      yield* teach(4)
      const [full, short] = [yield* answered({}), yield* answered({ detail: "short" })]
      assert.deepStrictEqual(short.recommended_model, full.recommended_model)
      assert.isNotEmpty(short.recommended_model["rationale"])
      assert.deepStrictEqual(short.ranked.map(without), full.ranked.map(without))
      assert.isAbove(short.ranked.length, 2)
      for (const model of short.ranked) {
        const isPick = model["model_id"] === short.recommended_model["model_id"]
        if (isPick) assert.deepStrictEqual(model, short.recommended_model)
        else for (const name of explanations) assert.notProperty(model, name)
      }
      for (const model of full.ranked) for (const name of explanations) assert.property(model, name)
      assert.isNotNull(short.fallback_model)
      for (const name of explanations) assert.notProperty(short.fallback_model, name)
      assert.isBelow(JSON.stringify(short).length, 0.85 * JSON.stringify(full).length)
      assert.deepStrictEqual(Object.keys(short), Object.keys(full))
    }))

  it.effect("is what `explain: false` leaves of the evidence", () =>
    Effect.gen(function*() {
      const short = yield* answered({ detail: "short", explain: false })
      assert.deepStrictEqual(short.recommended_model["evidence"], [])
      assert.isNotEmpty(short.recommended_model["rationale"])
    }))

  it.effect("is had for the steps of a workflow too", () =>
    Effect.gen(function*() {
      const steps = [{ step_id: "a", task: { task: "Plan it", task_type: "reasoning", difficulty: "hard" } }]
      const { body } = yield* sendRequest("POST", "/v1/recommend/workflow", { key, json: { steps, detail: "short" } })
      const [step] = body["steps"] as unknown as ReadonlyArray<{ readonly recommendation: Answered }>
      const { ranked, recommended_model } = step?.recommendation ?? assert.fail("no step")
      for (const name of explanations) assert.property(recommended_model, name)
      for (const model of ranked) {
        if (model["model_id"] !== recommended_model["model_id"]) assert.deepStrictEqual(without(model), model)
      }
    }))

  it.effect("is refused under any other name, and the problem names the field", () =>
    Effect.gen(function*() {
      for (const detail of ["brief", "", "SHORT", 1, null, ["short"], {}]) {
        for (const path of ["/v1/recommend", "/v1/recommend/workflow"]) {
          const task = { task: "x" }
          const { body, status } = yield* sendRequest("POST", path, {
            key, json: { ...(path === "/v1/recommend" ? { task } : { steps: [{ step_id: "a", task }] }), detail }
          })
          assert.strictEqual(status, 400, JSON.stringify(detail))
          assert.match(String(body["detail"]), /detail/)
        }
      }
    }))
})
