import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { budgetOf, type Bursting, type Caller, eventually, runBurst, send, startBursting } from "../support/burst.ts"
import { acmeKey, canary, sextant, stopService, umbrellaKey } from "../support/Service.ts"

const recommend = (service: Caller) =>
  Effect.map(send(service, "/v1/recommend", {
    task: { task: "Fix the failing unit test", task_type: "code", difficulty: "hard" }, cost_quality_tradeoff: 10
  }), ({ body }) => body)

/** The keys of an account with a hard budget, and of one whose budget is set and removed. */
const [hardKey, pacedKey] = [`sxt_hard_k1_${canary}`, `sxt_paced_k1_${canary}`]

class Stage extends Context.Service<Stage, Bursting>()("test/process/Budget/Stage") {
  static readonly layer = Layer.effect(Stage, Effect.acquireRelease(
    startBursting(4, [acmeKey, hardKey, pacedKey]), ({ service }) => Effect.orDie(stopService(service))
  ))
}

layer(Stage.layer, { excludeTestServices: true, timeout: "120 seconds" })("an account's budget", (it) => {
  it.effect("paces its recommendations by the bills of all processes, and is no other account's", () =>
    Effect.gen(function*() {
      const { environment, service: { baseUrl } } = yield* Stage
      const service = { baseUrl, key: pacedKey }
      assert.strictEqual((yield* budgetOf(service))["budget_usd"], null)
      const before = yield* recommend(service)
      assert.notInclude(before["warnings"], "budget_paced")
      const set = yield* sextant(["account", "set", "--instance", "paced", "--budget", "1/month"], environment)
      assert.strictEqual(set.code, 0, set.stderr)
      const known = yield* eventually(budgetOf(service), (answer) => answer["budget_usd"] === 1 && answer["requests"] >= 1)
      assert.isBelow(known["spent_usd"], 1)
      // Bills of twice the budget, each within 50 times the dearest candidate's estimate.
      for (let spent = 0; spent < 2; spent += 0.5) {
        const { recommendation_id } = yield* recommend(service)
        const said = yield* send(service, "/v1/feedback", {
          recommendation_id, outcome: "success", evidence_source: "gate", actual_cost_usd: 0.5
        })
        assert.isTrue(said.body["accepted"])
      }
      const spent = yield* eventually(budgetOf(service), (answer) => answer["spent_usd"] >= 1)
      assert.isAtLeast(spent["expected_usd"], spent["spent_usd"])
      const paced = yield* eventually(recommend(service), (answer) => answer["warnings"].includes("budget_paced"))
      assert.isBelow(paced["threshold_used"], before["threshold_used"])
      const theirs = { ...service, key: umbrellaKey }
      assert.strictEqual((yield* budgetOf(theirs))["spent_usd"], null)
      assert.notInclude((yield* recommend(theirs))["warnings"], "budget_paced")
      // Without the budget, advice is as before.
      yield* sextant(["account", "set", "--instance", "paced", "--budget", "none"], environment)
      yield* eventually(budgetOf(service), (answer) => answer["budget_usd"] === null)
      yield* eventually(recommend(service), (answer) => !answer["warnings"].includes("budget_paced"))
    }), 240_000)

  it.effect("is exceeded by at most 5 % in a burst of 1,200 requests that 4 processes answer", () =>
    Effect.gen(function*() {
      const { billed, refused, served, service } =
        yield* runBurst(yield* Stage, { key: acmeKey, requests: 1_200, isHard: false, share: 0.2 })
      assert.strictEqual(refused, 0)
      assert.isAtMost(billed, 1.05)
      // The cheapest candidate alone bills 0.18. The rest depends on the time of day, because pacing expects the rate
      // of the running hour until midnight.
      assert.isAtLeast(billed, 0.2)
      const reported = served.slice(0, 300)
      const before = yield* budgetOf(service)
      yield* Effect.forEach(reported, ({ billUsd, id, modelId }) =>
        send(service, "/v1/feedback", {
          recommendation_id: id, chosen_model_id: modelId, outcome: "success", actual_cost_usd: billUsd
        }), { concurrency: 16, discard: true })
      // Bills replace the amounts that were reserved for them.
      const after = yield* eventually(budgetOf(service), (answer) => answer["estimated_usd"] < before["estimated_usd"])
      assert.isAtMost(after["spent_usd"], before["spent_usd"])
    }), 400_000)

  it.effect("holds, where it is hard, in a burst of 1,200 requests that 4 processes answer", () =>
    Effect.gen(function*() {
      const { budgetUsd, refused, reserved, served, service } =
        yield* runBurst(yield* Stage, { key: hardKey, requests: 1_200, isHard: true, share: 0.03 })
      assert.isAtLeast(refused, 100)
      assert.strictEqual(refused + served.length, 1_200)
      assert.isAtMost(reserved, 1 + 1e-9)
      // Nearly all of it is used before anything is refused.
      assert.isAtLeast(reserved, 0.95)
      const report = yield* send(service, "/v1/feedback", {
        recommendation_id: served[0]?.id, chosen_model_id: "gpt-5", outcome: "success", actual_cost_usd: budgetUsd
      })
      assert.strictEqual(report.status, 200)
    }), 400_000)
})
