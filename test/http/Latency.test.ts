import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, feedback, recommend } from "./EngineService.ts"

const service = Effect.provide(engineService({}))

/** Reports one call of each model as a success, with the times that it took. */
const teachTimes = Effect.forEach([["dear", 400, 90], ["cheap", 9_000, 700], ["dear", 800, 110]] as const,
  Effect.fnUntraced(function*([chosen_model_id, latency_ms, time_to_first_token_ms]) {
    const { body } = yield* recommend()
    yield* feedback(body["recommendation_id"], {
      chosen_model_id, latency_ms, time_to_first_token_ms, evidence_source: "none", outcome: "success"
    })
  }))

describe("a request with optimize_for latency", () => {
  it.live("is answered with the fastest model that reaches the threshold, by reported times", () =>
    Effect.gen(function*() {
      yield* teachTimes
      const ask = { cost_quality_tradeoff: 0 }
      const [byCost, byLatency] = yield* Effect.all([
        recommend(ask), recommend({ ...ask, optimize_for: "latency" })
      ])
      assert.strictEqual((byCost.body["recommended_model"] as any).model_id, "cheap")
      const pick = byLatency.body["recommended_model"] as any
      assert.strictEqual(pick.model_id, "dear")
      assert.deepStrictEqual(
        [pick.est_latency_p50_ms, pick.est_latency_ms, pick.latency_basis,
          pick.est_time_to_first_token_p50_ms, pick.est_time_to_first_token_p75_ms],
        [600, 800, "observed_p75", 100, 110]
      )
      assert.match(pick.rationale, /the fastest of the \d+ candidates/)
    }).pipe(service), 60_000)

  it.live("is refused with the field's name where the goal is another word", () =>
    Effect.gen(function*() {
      const { body, status } = yield* recommend({ optimize_for: "speed" })
      assert.strictEqual(status, 400)
      assert.include(JSON.stringify(body), "optimize_for")
    }).pipe(service), 60_000)
})
