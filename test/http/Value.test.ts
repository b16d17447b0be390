import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AccountBudgets, makeAccountBudgets } from "../../src/accounts/AccountBudgets.ts"
import { AccountSettings, followsService } from "../../src/accounts/AccountSettings.ts"
import type { Budget } from "../../src/domain/account/Budget.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { unspent } from "../support/budgets.ts"
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
      const short = yield* asked({ ...gate, success_value_usd: 1, constraints: { min_quality: 0.999_99 } })
      assert.isBelow(short["plan"].expected_success, 0.999_99)
      assert.include(short["warnings"], "no_model_meets_threshold")
      assert.notInclude(planned["warnings"], "no_model_meets_threshold")
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

const valued = (successValueUsd: number, budget: Budget | null = null) => engineService({
  budget: Layer.merge(
    Layer.succeed(AccountSettings, {
      read: () => Effect.succeed({ ...followsService, successValueUsd, budget }), write: () => Effect.void
    }),
    Layer.effect(AccountBudgets, makeAccountBudgets(defaults.pacing, () => Effect.sync(() => unspent("day"))))
  )
})

layer(valued(0.25), { excludeTestServices: true })("an account's value of success", (it) => {
  it.effect("counts where a request has none, in plans too, but not where it asks for low latency", () =>
    Effect.gen(function*() {
      const usedOf = (over: object) => Effect.map(asked(over), (answer) => answer["success_value_used_usd"])
      assert.strictEqual(yield* usedOf({}), 0.25)
      assert.strictEqual(yield* usedOf({ success_value_usd: 4 }), 4)
      assert.strictEqual(yield* usedOf({ verification: { kind: "gate" } }), 0.25)
      assert.isNull(yield* usedOf({ optimize_for: "latency" }))
      assert.strictEqual(yield* usedOf({ optimize_for: "latency", success_value_usd: 4 }), 4)
      assert.strictEqual(yield* usedOf({ guarantee: { baseline_model_id: "dear" } }), 0.25)
      const { body } = yield* sendRequest("POST", "/v1/recommend/workflow", {
        key, json: { steps: [{ step_id: "a", task: { task: "Sum a list" } }, { step_id: "b", task: { task: "Sum" }, success_value_usd: 2 }] }
      })
      assert.deepStrictEqual((body as Json)["steps"].map((step: Json) => step["recommendation"].success_value_used_usd), [0.25, 2])
      const id = (yield* asked({}))["recommendation_id"]
      const { decision } = (yield* sendRequest("GET", `/v1/decision?recommendation_id=${id}`, { key })).body as Json
      assert.strictEqual(decision.success_value_usd, 0.25)
      assert.isTrue(decision.flip === null || decision.flip.threshold === null)
    }))
})

layer(valued(10, { usd: 1e-6, period: "day", isHard: false }), { excludeTestServices: true })("under a used-up budget a value", (it) => {
  it.effect("is 0, of a single call and of a plan, which still tries the task", () =>
    Effect.gen(function*() {
      const single = yield* asked({})
      assert.deepStrictEqual([single["success_value_used_usd"], single["recommended_model"].model_id], [0, "cheap"])
      assert.include(single["warnings"], "budget_paced")
      const { plan, recommended_model } = yield* asked({ verification: { kind: "gate" } })
      assert.deepStrictEqual([recommended_model.model_id, plan.attempts.length], ["cheap", 1])
    }))
})
