import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, feedback, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const advice = (query = "") =>
  Effect.map(sendRequest("GET", `/v1/advice${query}`, { key }), ({ body }) => body as any)

/** So many reported calls of a model, each with a bill. */
const calls = (model: string, count: number, usd: number, source = "gate") =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function*() {
      const { body } = yield* recommend({ namespace: "shop" })
      yield* feedback(body["recommendation_id"], {
        chosen_model_id: model, outcome: "success", evidence_source: source, actual_cost_usd: usd
      })
    }))

describe("what to change, over HTTP", () => {
  it.live("is only believed at first, and a move once verdicts and bills of both are known", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* advice(), { n: 0, n_kinds: 0, tolerance: 0.05, rows: [] })
      yield* calls("dear", 40, 0.01)
      const { rows: [first] } = yield* advice()
      assert.deepInclude(first, { lane: "sextant:shop", certainty: "believed" })
      assert.notStrictEqual(first.action, "move")
      assert.strictEqual(first.usual.model_id, "dear")
      assert.isAbove(first.settle.length, 0)
      yield* calls("cheap", 39, 0.0001, "self_check")
      assert.strictEqual((yield* advice()).rows[0].certainty, "believed")
      yield* calls("dear", 100, 0.01)
      yield* calls("cheap", 90, 0.0001)
      const { n, n_kinds, rows: [move] } = yield* advice("?days=7&namespace=shop")
      assert.deepStrictEqual([n, n_kinds], [269, 1])
      assert.deepInclude(move, { certainty: "known", action: "move", settle: [] })
      assert.strictEqual(move.candidate.model_id, "cheap")
      assert.include(move.command, `"namespace":"shop"`)
      assert.deepStrictEqual((yield* advice("?namespace=elsewhere")).rows, [])
    }).pipe(Effect.provide(engineService({}))), 60_000)
})
