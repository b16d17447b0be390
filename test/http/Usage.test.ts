import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, feedback, key, recommend, teach } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const service = Effect.provide(engineService({}))
const read = (path: string) => Effect.map(sendRequest("GET", path, { key }), ({ body }) => body as any)

/** A call of the cheap model, at 0.1 USD per million tokens in and 0.4 out. */
const used = { input_tokens: 10_000, output_tokens: 5_000 }
const usd = 0.001 + 0.002

describe("feedback with tokens and no cost", () => {
  it.live("is answered with the cost by list prices, and a repeat with the same", () =>
    Effect.gen(function*() {
      const { body } = yield* recommend()
      const said = { ...used, cached_input_tokens: 4_000, reasoning_tokens: 3_000, time_to_first_token_ms: 250 }
      const first = yield* feedback(body["recommendation_id"], said)
      assert.strictEqual(first.body["cost_source"], "computed")
      assert.closeTo(Number(first.body["computed_cost_usd"]), usd, 1e-12)
      assert.deepStrictEqual(first.body["warnings"], [])
      const again = yield* feedback(body["recommendation_id"], said)
      assert.deepStrictEqual(again.body, first.body)
      const [decision] = (yield* read("/v1/dashboard")).decisions
      assert.deepStrictEqual(
        [decision.outcome.actual_cost_usd, decision.outcome.cost_source], [null, "computed"]
      )
      assert.closeTo(decision.outcome.computed_cost_usd, usd, 1e-12)
    }).pipe(service), 60_000)

  it.live("is no bill: neither in realized savings nor in the observed cost tier", () =>
    Effect.gen(function*() {
      yield* teach(4, used, { constraints: { candidate_models: ["cheap"] } })
      const { summary } = yield* read("/v1/savings")
      assert.deepStrictEqual([summary.realized.n_reconciled, summary.realized.realized_cost_usd], [0, 0])
      const { body } = yield* recommend({ constraints: { candidate_models: ["cheap"] } })
      const model = body["recommended_model"] as any
      assert.notProperty(model.est_cost_breakdown, "observed_avg")
    }).pipe(service), 60_000)

  it.live("gives way to a bill that is reported later", () =>
    Effect.gen(function*() {
      const { body } = yield* recommend()
      yield* feedback(body["recommendation_id"], used)
      const billed = yield* feedback(body["recommendation_id"], { idempotency_key: "bill", actual_cost_usd: 0.004 })
      assert.deepStrictEqual([billed.body["cost_source"], billed.body["computed_cost_usd"]], ["reported", null])
      const scored = yield* feedback(body["recommendation_id"], { idempotency_key: "score", ...used })
      assert.strictEqual(scored.body["cost_source"], "reported")
      const { summary } = yield* read("/v1/savings")
      assert.deepStrictEqual([summary.realized.n_reconciled, summary.realized.realized_cost_usd], [1, 0.004])
    }).pipe(service), 60_000)

  it.live("is a saving at list prices, of the whole, its group and its day, until a bill comes", () =>
    Effect.gen(function*() {
      const summaries = Effect.gen(function*() {
        const { groups, summary } = yield* read("/v1/savings?group_by=lane")
        const { savings_by_day } = yield* read("/v1/dashboard")
        assert.deepStrictEqual([groups.length, savings_by_day.length], [1, 1])
        return [summary, groups[0].summary, savings_by_day[0].summary].map(({ followed }) => followed)
      })
      // The dear model is the caller's own: one call ran it against the advice, four ran the pick.
      const asked = { baseline_model_id: "dear", cost_quality_tradeoff: 0 }
      const calls = yield* Effect.forEach(["dear", "cheap", "cheap", "cheap", "cheap"], (chosen, index) =>
        Effect.gen(function*() {
          const { body } = yield* recommend(asked)
          assert.strictEqual((body["recommended_model"] as any).model_id, "cheap")
          const said = { ...used, chosen_model_id: chosen, idempotency_key: `used ${index}` }
          assert.strictEqual((yield* feedback(body["recommendation_id"], said)).body["cost_source"], "computed")
          return body["recommendation_id"]
        }))
      for (const followed of yield* summaries) {
        assert.deepStrictEqual([followed.n_followed, followed.n, followed.cost_usd, followed.basis], [4, 0, 0, "none"])
        const { basis, cost_usd, n, savings_high_usd, savings_low_usd, savings_usd } = followed.list_prices
        assert.deepStrictEqual([n, basis], [4, "bills"])
        assert.closeTo(cost_usd, 4 * usd, 1e-12)
        assert.isAbove(savings_usd, 0)
        assert.isBelow(savings_low_usd, savings_usd)
        assert.isAbove(savings_high_usd, savings_usd)
      }
      yield* feedback(calls[4], { idempotency_key: "bill", actual_cost_usd: 0.004 })
      for (const followed of yield* summaries) {
        assert.deepStrictEqual([followed.n, followed.cost_usd, followed.list_prices.n], [1, 0.004, 3])
        assert.closeTo(followed.list_prices.cost_usd, 3 * usd, 1e-12)
      }
    }).pipe(service), 60_000)

  it.live("has no cost for a model that the catalog does not have, or without both counts", () =>
    Effect.gen(function*() {
      for (const said of [{ ...used, chosen_model_id: "nobody's" }, { input_tokens: 5 }, {}]) {
        const { body } = yield* recommend()
        const answer = yield* feedback(body["recommendation_id"], said)
        assert.deepStrictEqual([answer.body["cost_source"], answer.body["computed_cost_usd"]], [null, null])
      }
    }).pipe(service), 60_000)
})

it.live("a count that is no count is a 400 that names its field", () =>
  Effect.gen(function*() {
    const { body } = yield* recommend()
    for (const field of ["cached_input_tokens", "cache_write_input_tokens", "reasoning_tokens", "time_to_first_token_ms"]) {
      for (const value of [-1, 0.5, 1e13, "12", true, []]) {
        const { body: problem, status } = yield* feedback(body["recommendation_id"], { [field]: value })
        assert.strictEqual(status, 400, `${field} ${String(value)}`)
        assert.include(String(problem["detail"]), field)
      }
    }
  }).pipe(service), 60_000)
