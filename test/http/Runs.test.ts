import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, feedback, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const service = Effect.provide(engineService({}))
const text = "Fix the failing test of the parser"
const constraints = { candidate_models: ["cheap"] }
const ask = (unit?: string) =>
  Effect.map(recommend({ task: { task: text, task_type: "code", difficulty: "medium", unit }, constraints }), ({ body }) => body as any)
const priced = ({ recommended_model: { est_cost_breakdown, est_cost_usd, est_latency_ms } }: any) =>
  ({ est_cost_breakdown, est_cost_usd, est_latency_ms })

describe("a run and a call of the same text", () => {
  it.live("have costs and latencies of their own, which their own reports teach", () =>
    Effect.gen(function*() {
      const [call, run] = [yield* ask("call"), yield* ask("run")]
      assert.deepStrictEqual(priced(yield* ask()), priced(call))
      assert.isAbove(run.recommended_model.est_cost_usd, 50 * call.recommended_model.est_cost_usd)
      for (const costUsd of [0.2, 0.3, 0.4]) {
        const { recommendation_id } = yield* ask("run")
        const { body, status } = yield* feedback(recommendation_id, { actual_cost_usd: costUsd, latency_ms: 90_000 })
        assert.deepStrictEqual([status, body["warnings"]], [200, []])
      }
      assert.deepStrictEqual(priced(yield* ask("call")), priced(call))
      assert.deepStrictEqual(priced(yield* ask("run")), {
        est_cost_breakdown: { observed_avg: 0.3 }, est_cost_usd: 0.3, est_latency_ms: 90_000
      })
      const { body } = yield* sendRequest("GET", "/v1/savings?group_by=cluster", { key })
      assert.sameMembers((body as any).groups.map(({ key }: { key: string }) => key), ["code:medium", "code:medium:run"])
    }).pipe(service), 60_000)

  it.live("are named: another unit is refused with the field's name", () =>
    Effect.gen(function*() {
      for (const unit of ["batch", 1, {}, null]) {
        const { body, status } = yield* recommend({ task: { task: text, unit } })
        assert.strictEqual(status, 400)
        assert.include(JSON.stringify(body), "unit")
      }
    }).pipe(service), 60_000)
})
