import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, feedback, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

it.live("ten calls whose pick, baseline and model that ran are the same have saved exactly nothing", () =>
  Effect.gen(function*() {
    for (let call = 0; call < 10; call++) {
      const { body } = yield* recommend({
        baseline_model_id: "cheap", constraints: { candidate_models: ["cheap"] }
      })
      yield* feedback(body["recommendation_id"], { actual_cost_usd: 0.000_1 })
    }
    const { body } = yield* sendRequest("GET", "/v1/savings", { key })
    const { followed, realized } = body["summary"] as any
    // By its definition the specified field counts the estimate's error as a saving.
    assert.isAbove(Math.abs(realized.savings_vs_declared_est_usd), 0.001)
    assert.deepStrictEqual(
      [followed.savings_usd, followed.savings_low_usd, followed.savings_high_usd, followed.basis],
      [0, 0, 0, "same_model"]
    )
    assert.deepStrictEqual([followed.n, followed.n_same_model, followed.followed_share], [10, 10, 1])
  }).pipe(Effect.provide(engineService({}))), 60_000)
