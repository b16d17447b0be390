import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, feedback, key, recommend, teach } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const service = Effect.provide(engineService({}))
const constraints = { candidate_models: ["cheap"] }
const predicted = Effect.map(recommend({ constraints }), ({ body }) => (body as any).recommended_model.predicted_success)

describe("an agent's own check", () => {
  it.live("teaches nothing, is shown, and stands behind a gate and before usage alone", () =>
    Effect.gen(function*() {
      const before = yield* predicted
      for (const outcome of ["success", "failure"]) {
        const { body } = yield* teach(10, { outcome, evidence_source: "self_check" }, { constraints })
        assert.deepStrictEqual([body["accepted"], body["warnings"]], [true, []])
      }
      assert.strictEqual(yield* predicted, before)
      const id = (yield* recommend({ constraints })).body["recommendation_id"]
      const label = Effect.map(
        sendRequest("GET", `/v1/decision?recommendation_id=${id}`, { key }),
        ({ body }) => (({ outcome, provenance, teaches }) => ({ outcome, provenance, teaches }))((body as any).decision.outcomes[0])
      )
      const report = (evidence_source: string, outcome: string) =>
        feedback(id, { evidence_source, outcome, idempotency_key: evidence_source })
      yield* report("self_check", "success")
      yield* report("none", "failure")
      assert.deepStrictEqual(yield* label, { outcome: "success", provenance: "self_check", teaches: false })
      yield* report("gate", "failure")
      assert.deepStrictEqual(yield* label, { outcome: "failure", provenance: "gate", teaches: true })
      const { judges } = (yield* sendRequest("GET", "/v1/dashboard", { key })).body as any
      const own = judges.find(({ source }: { source: string }) => source === "self_check")
      assert.deepInclude(own, { n_judged: 21, n_checked: 1, is_checked: false })
    }).pipe(service), 60_000)
})

describe("a run without a result", () => {
  it.live("is a failure as of a gate, and refused with the field's name where it is anything else", () =>
    Effect.gen(function*() {
      const before = yield* predicted
      const id = (yield* recommend({ constraints })).body["recommendation_id"]
      for (const outcome of ["success", "partial"]) {
        const { status, text } = yield* feedback(id, { evidence_source: "no_result", outcome })
        assert.strictEqual(status, 400)
        assert.include(text, "evidence_source")
        const asked = yield* recommend({ attempts: [{ model_id: "cheap", evidence_source: "no_result", outcome }] })
        assert.strictEqual(asked.status, 400)
        assert.include(asked.text, "attempts.0.evidence_source")
      }
      const { body, status } = yield* feedback(id, { evidence_source: "no_result", outcome: "failure" })
      assert.deepStrictEqual([status, body["warnings"]], [200, []])
      assert.isBelow(yield* predicted, before)
      const said = (evidence_source: string) =>
        Effect.map(recommend({
          constraints: { candidate_models: ["dear"] }, verification: { kind: "gate" },
          attempts: [{ model_id: "middle", outcome: "failure", evidence_source }]
        }), (answer) => (answer.body as any).recommended_model.predicted_success)
      assert.strictEqual(yield* said("no_result"), yield* said("gate"))
    }).pipe(service), 60_000)
})

describe("what a caller says of its check", () => {
  it.live("has an unknown kind refused, and every sum of errors up to 1 answered with a plan", () =>
    Effect.gen(function*() {
      for (const [verification, field] of [
        [{ kind: "no_result" }, "verification.kind"], [{ kind: "self_check", pass_wrong: 0.9, fail_right: 0.2 }, "verification.pass_wrong"],
        [{ kind: "gate", fail_right: 0.6 }, "verification.fail_right"]
      ] as const) {
        const { status, text } = yield* recommend({ verification })
        assert.strictEqual(status, 400)
        assert.include(text, field)
      }
      for (const verification of [{ kind: "self_check" }, { kind: "gate", pass_wrong: 1 }, { kind: "gate", pass_wrong: 0.9, fail_right: 0.1 }]) {
        const { body, status } = yield* recommend({ verification, success_value_usd: 1 })
        assert.strictEqual(status, 200)
        assert.isTrue(Number.isFinite((body as any).plan.expected_success))
      }
    }).pipe(service), 60_000)

  it.live("counts an attempt once, whoever says that it failed", () =>
    Effect.gen(function*() {
      const asks = { verification: { kind: "gate" }, namespace: "twice" }
      for (let task = 0; task < 9; task++) {
        const { recommendation_id: id } = (yield* recommend(asks)).body
        for (const evidence_source of ["self_check", "gate"]) {
          yield* feedback(id, { evidence_source, outcome: "failure", idempotency_key: `${task} ${evidence_source}` })
        }
      }
      assert.notInclude((yield* recommend(asks)).body["warnings"], "verification_without_retry")
      yield* teach(1, { outcome: "failure" }, asks)
      assert.include((yield* recommend(asks)).body["warnings"], "verification_without_retry")
    }).pipe(service), 60_000)

  it.live("warns until there is a second attempt, where the plan has one", () =>
    Effect.gen(function*() {
      const verification = { kind: "gate" }
      yield* teach(10, { outcome: "failure" }, { verification, namespace: "alone" })
      const warnings = Effect.map(recommend({ verification, namespace: "alone" }), ({ body }) => body["warnings"])
      assert.include(yield* warnings, "verification_without_retry")
      const { body } = yield* recommend({ verification, namespace: "alone", max_total_cost_usd: 0.0006 })
      assert.lengthOf((body as any).plan.attempts, 1)
      assert.notInclude(body["warnings"], "verification_without_retry")
      assert.notInclude((yield* recommend({ verification, namespace: "other" })).body["warnings"], "verification_without_retry")
      yield* recommend({ verification, namespace: "alone", attempts: [{ model_id: "cheap", outcome: "failure" }] })
      assert.notInclude(yield* warnings, "verification_without_retry")
    }).pipe(service), 60_000)
})
