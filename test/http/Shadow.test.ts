import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, feedback, key, recommend, teach } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const service = Effect.provide(engineService({}))
const read = (path: string) => Effect.map(sendRequest("GET", path, { key }), ({ body }) => body as any)
const post = (path: string, json: object) => sendRequest("POST", path, { key, json })

/** All views of savings. */
const savings = Effect.all([
  ...["", "?group_by=cluster", "?group_by=task_type", "?group_by=lane", "?days=1"].map((query) =>
    read(`/v1/savings${query}`)),
  Effect.map(read("/v1/dashboard"), (dashboard) => dashboard.savings_by_day)
])

const predictionOf = (modelId: string) =>
  Effect.map(recommend({ shadow: true, baseline_model_id: "dear" }), ({ body }) =>
    (body as any).ranked.find((model: any) => model.model_id === modelId).predicted_success as number)

describe("a decision in shadow", () => {
  it.live("changes no figure of savings by its feedback, and its outcome is learned", () =>
    Effect.gen(function*() {
      yield* teach(2, { actual_cost_usd: 0.002 }, { baseline_model_id: "dear" })
      const before = yield* savings
      const [predicted, calibrated] = yield* Effect.all([predictionOf("dear"), read("/v1/calibration")])
      // The caller's default is a model other than the pick, or the pick; its bills are plain or far off.
      for (const [chosen, usd] of [["dear", 0.03], ["dear", 90], ["cheap", 0.000_1], ["dear", 95]] as const) {
        const { body } = yield* recommend({ shadow: true, baseline_model_id: "dear" })
        const answer = yield* feedback(body["recommendation_id"], {
          chosen_model_id: chosen, outcome: "failure", actual_cost_usd: usd
        })
        assert.strictEqual(answer.body["accepted"], true)
        assert.isNotNull(answer.body["record_id"])
      }
      // What the default achieved is evidence of its quality, and none of a saving.
      const money = (answers: unknown) => JSON.parse(JSON.stringify(answers), (key, value) => key === "comparison" ? undefined : value)
      assert.deepStrictEqual(money(yield* savings), money(before))
      assert.isBelow(yield* predictionOf("dear"), predicted - 0.02)
      const after = yield* read("/v1/calibration")
      assert.strictEqual(after.reports[0].n, calibrated.reports[0].n + 4)
      assert.strictEqual((yield* read("/v1/policy-value")).report.n_trusted, 6)
    }).pipe(service), 60_000)

  it.live("is compared with what its pick would have cost, beside the savings and never among them", () =>
    Effect.gen(function*() {
      assert.isNull((yield* read("/v1/dashboard")).shadow)
      for (const [usd, outcome] of [[0.03, "success"], [0.05, "failure"]] as const) {
        const { body } = yield* recommend({ shadow: true, baseline_model_id: "dear", cost_quality_tradeoff: 0 })
        assert.strictEqual((body["recommended_model"] as any).model_id, "cheap")
        yield* feedback(body["recommendation_id"], { chosen_model_id: "dear", outcome, actual_cost_usd: usd })
      }
      const { savings_by_day, shadow } = yield* read("/v1/dashboard")
      assert.deepStrictEqual(savings_by_day, [])
      assert.deepInclude(shadow, {
        n: 2, n_feedback: 2, n_billed: 2, n_same_model: 0, basis: "estimate", n_outcomes: 2, success_rate: 0.5,
        difference_low_usd: null, difference_high_usd: null
      })
      assert.closeTo(shadow.cost_usd, 0.08, 1e-12)
      assert.isAbove(shadow.cost_followed_usd, 0)
      assert.isBelow(shadow.cost_followed_usd, 0.08)
    }).pipe(service), 60_000)

  it.live("is answered as any other, and a feedback on a model other than the pick has no warning", () =>
    Effect.gen(function*() {
      const answers = yield* Effect.forEach([false, true], (shadow) => recommend({ shadow }))
      const [plain, shadow] = answers.map(({ body }) => {
        const { latency_ms: _latency, recommendation_id: _id, ...rest } = body
        return rest
      })
      assert.deepStrictEqual(shadow, plain)
      assert.notInclude(JSON.stringify(plain), "unknown_field")
      const other = (plain?.["recommended_model"] as any).model_id === "dear" ? "cheap" : "dear"
      const { body } = yield* feedback(answers[1]?.body["recommendation_id"], { chosen_model_id: other })
      assert.deepStrictEqual([body["accepted"], body["warnings"]], [true, []])
    }).pipe(service), 60_000)

  it.live("is marked where decisions are listed, alone and as a step of a workflow", () =>
    Effect.gen(function*() {
      const task = { task: "Write a function that sums a list", task_type: "code", difficulty: "easy" }
      const steps = ["one", "two"].map((step_id) => ({ step_id, task }))
      yield* recommend()
      yield* recommend({ shadow: true })
      yield* post("/v1/recommend/workflow", { steps, shadow: true })
      yield* post("/v1/recommend/workflow", { steps: steps.slice(1) })
      const { decisions, savings_by_day: [day] } = yield* read("/v1/dashboard")
      assert.deepStrictEqual(decisions.map(({ shadow }: any) => shadow), [false, true, true, true, false])
      assert.strictEqual(day.summary.estimated.n, 2)
      assert.strictEqual((yield* read("/v1/savings")).health.recommendations, 2)
      assert.strictEqual((yield* read("/v1/calibration")).health.recommendations, 5)
    }).pipe(service), 60_000)

  it.live("is asked for by true alone: any other value is a 400 that names the field", () =>
    Effect.gen(function*() {
      const steps = [{ step_id: "one", task: { task: "Sum a list" } }]
      for (const shadow of ["true", 1, null, []]) {
        for (const { body, status } of [yield* recommend({ shadow }), yield* post("/v1/recommend/workflow", { steps, shadow })]) {
          assert.strictEqual(status, 400, JSON.stringify(shadow))
          assert.include(String(body["detail"]), "shadow")
        }
      }
    }).pipe(service), 60_000)
})
