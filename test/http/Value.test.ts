import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

/* `success_value_usd`: what a right result is worth, over HTTP. */

type Json = Record<string, any>

const asked = (over: object) => Effect.map(recommend(over), ({ body, status }) => {
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body as Json
})
const worthOf = (valueUsd: number) => (model: Json) => valueUsd * model["predicted_success"] - model["est_cost_usd"]

layer(engineService({}), { excludeTestServices: true })("a value of success", (it) => {
  it.effect("decides in place of the slider, and the answer says so", () =>
    Effect.gen(function*() {
      for (const success_value_usd of [1e-9, 0.001, 0.01, 0.1, 1, 1e6]) {
        const { plan, ranked, recommended_model, success_value_used_usd, threshold_used } =
          yield* asked({ success_value_usd, cost_quality_tradeoff: 10, optimize_for: "latency" })
        assert.deepStrictEqual([success_value_used_usd, threshold_used, plan], [success_value_usd, 0, null])
        const worth = worthOf(success_value_usd)
        const most = Math.max(...ranked.map(worth))
        assert.isAtMost(most - worth(recommended_model), 1e-6 * success_value_usd + 1e-9)
        assert.strictEqual(ranked[0].model_id, recommended_model["model_id"])
        assert.include(recommended_model["rationale"], "a success")
        assert.notInclude(recommended_model["rationale"], "tau")
      }
      assert.isNull((yield* asked({}))["success_value_used_usd"])
    }))

  it.effect("leaves min_quality a floor, and needs no plan to be obeyed by one", () =>
    Effect.gen(function*() {
      const floored = yield* asked({ success_value_usd: 0, constraints: { min_quality: 0.7 } })
      assert.deepInclude(floored, { threshold_used: 0.7 })
      assert.isAtLeast(floored["recommended_model"].predicted_success, 0.7)
      const gate = { verification: { kind: "gate" } }
      const planned = yield* asked({ ...gate, success_value_usd: 0.001, constraints: { min_quality: 0.9 } })
      assert.isAtLeast(planned["plan"].expected_success, 0.9)
      assert.deepInclude(yield* asked({ ...gate, success_value_usd: 0 }), { success_value_used_usd: 0 })
    }))

  it.effect("that is no amount from 0 to a million is refused by name", () =>
    Effect.gen(function*() {
      for (const bad of ["-1", "1e300", "1000001", "\"NaN\"", "\"0.5\"", "NaN", "true", "[]", "{}", "1e999"]) {
        const { body, status } = yield* sendRequest("POST", "/v1/recommend", {
          key,
          init: {
            headers: { "content-type": "application/json" },
            body: `{"task":{"task":"Sum a list"},"success_value_usd":${bad}}`
          }
        })
        assert.strictEqual(status, 400, bad)
        if (bad !== "NaN") assert.include(JSON.stringify(body), "success_value_usd", bad)
      }
    }))
})
