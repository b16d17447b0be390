import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, feedback, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const service = Effect.provide(engineService({}))
const decisionOf = (id: string) =>
  Effect.map(sendRequest("GET", `/v1/decision?recommendation_id=${id}`, { key }), ({ body, status }) => {
    assert.strictEqual(status, 200)
    return (body as any).decision
  })

describe("GET /v1/decision", () => {
  it.live("gives the candidates of the answer, and after feedback the outcome, without task text", () =>
    Effect.gen(function*() {
      const answer = (yield* recommend({ baseline_model_id: "dear" })).body as any
      const id = answer.recommendation_id as string
      const before = yield* decisionOf(id)
      assert.strictEqual(before.recommended_model_id, answer.recommended_model.model_id)
      assert.strictEqual(before.threshold, answer.threshold_used)
      assert.deepStrictEqual(before.outcomes, [])
      for (const { est_cost_usd: cost, model_id: modelId, predicted_success: success } of answer.ranked) {
        const kept = before.candidates.find((each: any) => each.model_id === modelId)
        assert.closeTo(kept.predicted_success, success, 1e-5)
        assert.closeTo(kept.est_cost_usd, cost, 1e-9)
      }
      yield* feedback(id, { chosen_model_id: "dear", outcome: "failure", actual_cost_usd: 0.03, latency_ms: 1_200 })
      const { outcomes, ...rest } = yield* decisionOf(id.toUpperCase())
      assert.deepInclude(outcomes[0], {
        model_id: "dear", outcome: "failure", actual_cost_usd: 0.03, cost_source: "reported", latency_ms: 1_200
      })
      assert.deepStrictEqual({ ...rest, outcomes: [] }, before)
      assert.strictEqual(rest.task_kept, "excerpt")
      assert.notMatch(JSON.stringify(rest), /sums a list|function that/)
    }).pipe(service), 60_000)

  it.live("answers null for an id that no decision has", () =>
    Effect.gen(function*() {
      assert.isNull(yield* decisionOf("01890a5d-ac96-774b-bcce-b302099a8057"))
    }).pipe(service), 60_000)
})
