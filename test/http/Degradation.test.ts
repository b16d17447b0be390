import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ReasonerFailed } from "../../src/reasoner/Reasoner.ts"
import * as Reason from "../../src/resilience/FailureReason.ts"
import { catalog, localMemory } from "../engine/conductors.ts"
import { snapshot } from "../support/builders.ts"
import { catalogOf, memoryOf, memoryOver, reasonerOf } from "../support/fakes.ts"
import { key, type Ports, recommend, engineService, teach } from "./EngineService.ts"
import { type Answer, sendRequest } from "./FakeService.ts"

/* The rows of the specification's table of degradations, one by one, over real HTTP. */

const over = (ports: Ports) => Effect.provide(engineService(ports))

/** What an answer decided, without its id, its time and its warnings. */
const decided = ({ body }: Answer) => {
  const { latency_ms: _latency, recommendation_id: _id, warnings: _warnings, ...rest } = body
  return rest
}

const priorOnly = ({ body, status }: Answer, warnings: ReadonlyArray<string>): void => {
  assert.strictEqual(status, 200)
  assert.deepStrictEqual(body["warnings"], warnings)
  assert.strictEqual(body["decision_basis"], "prior")
  const ranked = body["ranked"]
  assert.isTrue(Array.isArray(ranked) && ranked.length === 3
    && ranked.every(({ decision_basis: basis, evidence }) =>
      basis === "prior" && evidence.every(({ entry_id: id }: { entry_id: string }) => id.startsWith("seed:"))))
}

/** Outcomes are there, and recall does what the row says. */
const knowing = (recall: "never" | "fails"): Ports => {
  const out = memoryOf()
  return {
    memory: recall === "fails" ? out : memoryOver(localMemory(), () => ({ recall: () => Effect.never })),
    settings: { recallBudgetMs: 50 }
  }
}

const doubts = ["thin_evidence", "low_confidence", "tie", "wide_interval"].map((reason) =>
  `escalation_suggested:${reason}`)

describe("the table of degradations", () => {
  it.live("on a recall timeout answers from priors with recall_timeout, whatever the lane contains", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* teach(3)).body["accepted"], true)
      priorOnly(yield* recommend(), ["recall_timeout"])
    }).pipe(over(knowing("never"))), 60_000)

  it.live("while memory is unavailable answers from priors with memory_unavailable", () =>
    Effect.gen(function*() {
      priorOnly(yield* recommend(), ["memory_unavailable"])
    }).pipe(over(knowing("fails"))), 60_000)

  it.live("gives both the picks of a cold lane, which alone carries cold_start", () =>
    Effect.gen(function*() {
      const cold = yield* recommend().pipe(over({}))
      priorOnly(cold, ["cold_start"])
      for (const recall of ["never", "fails"] as const) {
        assert.deepStrictEqual(decided(yield* recommend().pipe(over(knowing(recall)))), decided(cold))
      }
    }), 60_000)

  it.live("with stale prices answers from the last good snapshot, with catalog_stale and prices_stale", () =>
    Effect.gen(function*() {
      const fresh = yield* recommend().pipe(over({}))
      const stale = yield* recommend().pipe(
        over({ catalog: catalogOf(snapshot(catalog.models, { stale: true })) })
      )
      assert.strictEqual(stale.status, 200)
      assert.deepStrictEqual([fresh.body["catalog_stale"], stale.body["catalog_stale"]], [false, true])
      assert.deepStrictEqual(stale.body["warnings"], ["prices_stale", "cold_start"])
      assert.deepStrictEqual({ ...decided(stale), catalog_stale: false }, decided(fresh))
    }), 60_000)

  it.live("on a reasoner error answers the deterministic result with reasoner_failed", () =>
    Effect.gen(function*() {
      const alone = yield* recommend()
      const failed = yield* recommend({ allow_llm_escalation: true })
      assert.strictEqual(failed.status, 200)
      assert.deepStrictEqual(failed.body["warnings"], ["reasoner_failed", "cold_start", ...doubts])
      assert.deepStrictEqual(decided(failed), decided(alone))
    }).pipe(over({
      reasoner: reasonerOf({ rank: () => Effect.fail(new ReasonerFailed({ reason: new Reason.Unreachable({ cause: "out for this test" }) })) })
    })), 60_000)

  it.live("without a reasoner answers the deterministic result, with the escalation as warnings", () =>
    Effect.gen(function*() {
      const alone = yield* recommend()
      const missed = yield* recommend({ allow_llm_escalation: true })
      assert.strictEqual(missed.status, 200)
      assert.deepStrictEqual(missed.body["warnings"], ["cold_start", ...doubts, "reasoner_disabled"])
      assert.deepStrictEqual(decided(missed), decided(alone))
    }).pipe(over({})), 60_000)

  it.live("without a matching model answers 422 as a problem, also for the step of a workflow", () =>
    Effect.gen(function*() {
      const constraints = { candidate_models: ["nobody"] }
      const steps = [{ step_id: "plan", task: { task: "Plan" }, constraints }]
      const answers = [
        yield* recommend({ constraints }),
        yield* sendRequest("POST", "/v1/recommend/workflow", { key, json: { steps } })
      ]
      for (const { body, headers, status } of answers) {
        assert.strictEqual(status, 422)
        assert.include(headers.get("content-type") ?? "", "application/problem+json")
        assert.deepStrictEqual([body["title"], body["status"]], ["No candidate models", 422])
        assert.include(String(body["detail"]).toLowerCase(), "no models match")
      }
    }).pipe(over({})), 60_000)

  it.live("in a memory outage answers diagnose and memory health with an empty 200 and memory_unavailable", () =>
    Effect.gen(function*() {
      const lane = { namespace: null, lane: "sextant:default", warnings: ["memory_unavailable"] }
      const diagnosis = yield* sendRequest("POST", "/v1/diagnose", { key, json: { error_text: "TypeError" } })
      assert.strictEqual(diagnosis.status, 200)
      assert.deepStrictEqual(diagnosis.body, {
        ...lane, failure_lessons: [], summary: "", total_failure_lessons: 0
      })
      const health = yield* sendRequest("GET", "/v1/memory/health", { key })
      assert.strictEqual(health.status, 200)
      assert.deepStrictEqual(health.body, {
        ...lane, entry_counts: {}, stale_entries: 0, contradictions: 0, low_confidence_count: 0,
        promotion_candidates: 0, section_health: []
      })
    }).pipe(over({ memory: memoryOf() })), 60_000)
})
