import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, feedback, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const constraints = { candidate_models: ["cheap"] }
const asked = Effect.map(recommend({ constraints }), ({ body }) => body as any)
const outcomesOf = (id: unknown) =>
  Effect.map(sendRequest("GET", `/v1/decision?recommendation_id=${id}`, { key }), ({ body }) => (body as any).decision.outcomes)

describe("the signals of a run", () => {
  it.live("are kept with its report and shown, also after a report without any; the last ones count", () =>
    Effect.gen(function*() {
      const { recommendation_id: id } = yield* asked
      yield* feedback(id, { evidence_source: "none", output_tokens: 900, iterations: 7, signals: { tool_errors: 2, ended: "limit" } })
      yield* feedback(id, { outcome: "failure", idempotency_key: "verdict" })
      const [kept] = yield* outcomesOf(id)
      assert.deepStrictEqual(kept.signals, { steps: 7, output_tokens: 900, tool_errors: 2, ended: "limit" })
      assert.strictEqual(kept.outcome, "failure")
      yield* feedback(id, { outcome: "failure", idempotency_key: "more", signals: { steps: 9, output_tokens: 8, ended: "finished" } })
      assert.deepStrictEqual((yield* outcomesOf(id))[0].signals, { steps: 9, output_tokens: 8, tool_errors: null, ended: "finished" })
      const other = yield* asked
      yield* feedback(other.recommendation_id)
      assert.notProperty((yield* outcomesOf(other.recommendation_id))[0], "signals")
    }).pipe(Effect.provide(engineService({}))), 60_000)

  it.live("decide nothing: predictions and costs are those of a lane that never heard of any", () =>
    Effect.gen(function*() {
      const learned = (signals: object | null) =>
        Effect.gen(function*() {
          for (const outcome of ["success", "failure", "success"]) {
            yield* feedback((yield* asked).recommendation_id, { outcome, output_tokens: 500, signals })
          }
          const { confidence, est_cost_usd, est_latency_ms, predicted_success, sample_size } = (yield* asked).recommended_model
          return { confidence, est_cost_usd, est_latency_ms, predicted_success, sample_size }
        }).pipe(Effect.provide(engineService({})))
      assert.deepStrictEqual(yield* learned({ steps: 400, output_tokens: 1e6, tool_errors: 90, ended: "error" }), yield* learned(null))
    }), 60_000)

  it.live("have bounds: what is no signal is refused with the field's name", () =>
    Effect.gen(function*() {
      const { recommendation_id: id } = yield* asked
      for (const [signals, field] of [
        [{ steps: -1 }, "signals.steps"], [{ steps: 1.5 }, "signals.steps"], [{ output_tokens: 1e300 }, "signals.output_tokens"],
        [{ tool_errors: "2" }, "signals.tool_errors"], [{ ended: "well" }, "signals.ended"], ["done", "signals"], [[1], "signals"]
      ] as const) {
        const { status, text } = yield* feedback(id, { signals })
        assert.strictEqual(status, 400, JSON.stringify(signals))
        assert.include(text, field)
      }
      assert.deepStrictEqual((yield* feedback(id, { signals: { mood: 1 } })).body["warnings"], ["unknown_field:signals.mood"])
    }).pipe(Effect.provide(engineService({}))), 60_000)
})
