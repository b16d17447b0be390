import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { GuaranteeEvidences } from "../../src/ledger/GuaranteeEvidence.ts"
import { laneOf } from "../../src/domain/Scope.ts"
import { evidenceAfter, trials } from "../support/guarantees.ts"
import { engineService, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const held = evidenceAfter(trials(2_000))
const kept = { lane: laneOf(null), baselineModelId: "dear", maxQualityLoss: 0.05, confidence: 0.95, evidence: held }

const service = engineService({
  guarantees: Layer.succeed(GuaranteeEvidences, {
    read: () => Effect.succeed(held),
    list: (_account, lane) => Effect.succeed(lane === null || lane === kept.lane ? [kept] : [])
  })
})

describe("a guarantee over HTTP", () => {
  it.live("is answered with the recommendation, in every step of a workflow too, and reported", () =>
    Effect.gen(function*() {
      const guarantee = { baseline_model_id: "dear", max_quality_loss: 0.05, confidence: 0.95, trial_share: 0 }
      const { body } = yield* recommend({ guarantee, cost_quality_tradeoff: 0 })
      assert.deepInclude(body["guarantee"], {
        state: "held", baseline_model_id: "dear", candidate_model_id: "cheap", is_trial: false, outcomes: 2_000,
        outcomes_needed: null
      })
      assert.isNull((yield* recommend()).body["guarantee"])
      const workflow = yield* sendRequest("POST", "/v1/recommend/workflow", {
        key, json: {
          guarantee, allow_llm_escalation: false, cost_quality_tradeoff: 0,
          steps: [{ step_id: "one", task: { task: "Sum a list", task_type: "code", difficulty: "medium" } }]
        }
      })
      assert.strictEqual((workflow.body as any).steps[0].recommendation.guarantee.state, "held")
      const report = yield* sendRequest("GET", "/v1/account/guarantee", { key })
      assert.strictEqual(report.status, 200)
      assert.deepInclude((report.body as any).kinds[0], {
        lane: "sextant:default", task_type: "code", state: "held", tasks: 2_000, baseline_model_id: "dear"
      })
      assert.deepInclude((report.body as any).kinds[0].candidates[0], {
        model_id: "cheap", state: "held", success: 1, baseline_success: 1, outcomes: 2_000, outcomes_needed: null
      })
      const other = yield* sendRequest("GET", "/v1/account/guarantee?namespace=other", { key })
      assert.deepStrictEqual(other.body, { guarantee: null, kinds: [] })
    }).pipe(Effect.provide(service)), 60_000)

  it.live("is refused with the field's name where it cannot be kept", () =>
    Effect.gen(function*() {
      for (
        const [guarantee, field] of [
          [{}, "guarantee.baseline_model_id"],
          [{ baseline_model_id: "" }, "guarantee.baseline_model_id"],
          [{ baseline_model_id: 7 }, "guarantee.baseline_model_id"],
          [{ baseline_model_id: "dear", max_quality_loss: 0 }, "guarantee.max_quality_loss"],
          [{ baseline_model_id: "dear", max_quality_loss: 0.6 }, "guarantee.max_quality_loss"],
          [{ baseline_model_id: "dear", max_quality_loss: "0.05" }, "guarantee.max_quality_loss"],
          [{ baseline_model_id: "dear", confidence: 1 }, "guarantee.confidence"],
          [{ baseline_model_id: "dear", confidence: null }, "guarantee.confidence"],
          [{ baseline_model_id: "dear", trial_share: 0.51 }, "guarantee.trial_share"],
          [{ baseline_model_id: "dear", paired: "yes" }, "guarantee.paired"],
          ["dear", "guarantee"]
        ] as const
      ) {
        const { body, status } = yield* recommend({ guarantee })
        assert.strictEqual(status, 400, JSON.stringify(guarantee))
        assert.include(JSON.stringify(body), field)
      }
      const { body } = yield* recommend({ guarantee: { baseline_model_id: "dear", typo: 1 } })
      assert.include(body["warnings"], "unknown_field:guarantee.typo")
    }).pipe(Effect.provide(service)), 60_000)

  it.live("is reported as unavailable, to be asked again, while the ledger is out", () =>
    Effect.gen(function*() {
      const { status } = yield* sendRequest("GET", "/v1/account/guarantee", { key })
      assert.strictEqual(status, 503)
    }).pipe(Effect.provide(engineService({
      guarantees: Layer.succeed(GuaranteeEvidences, {
        read: () => Effect.fail(LedgerUnavailable.timedOut(1)), list: () => Effect.fail(LedgerUnavailable.timedOut(1))
      })
    }))), 60_000)
})
