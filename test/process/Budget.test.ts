import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { dataDirectory } from "../support/Databases.ts"
import { sendRequest, type Service, sextant, startService, stopService, umbrellaKey } from "../support/Service.ts"

/** A parsed answer, of whose fields a test names those that it reads. */
type Json = Record<string, any>
type Caller = Pick<Service, "baseUrl" | "key">

const send = (service: Caller, path: string, body?: object) =>
  Effect.map(sendRequest(service, path, body), ({ text }) => JSON.parse(text) as Json)

const recommend = (service: Caller) =>
  send(service, "/v1/recommend", {
    task: { task: "Fix the failing unit test", task_type: "code", difficulty: "hard" }, cost_quality_tradeoff: 10
  })

const budgetOf = (service: Caller) => send(service, "/v1/account/budget")

/** Asks until the answer is right, since services see a change within seconds. */
const eventually = <E>(ask: Effect.Effect<Json, E>, isRight: (answer: Json) => boolean) =>
  ask.pipe(Effect.repeat({ until: isRight, schedule: Schedule.spaced("200 millis") }), Effect.timeout("20 seconds"))

describe("an account's budget", () => {
  it.live("paces its recommendations by the bills of two processes, and is no other account's", () =>
    Effect.gen(function*() {
      const environment = { SEXTANT_DATA_DIR: yield* dataDirectory }
      const service = yield* startService({ ...environment, SEXTANT_PROCESSES: "2" })
      assert.strictEqual((yield* budgetOf(service))["budget_usd"], null)
      const before = yield* recommend(service)
      assert.notInclude(before["warnings"], "budget_paced")
      const set = yield* sextant(["account", "set", "--instance", "acme", "--budget", "1/month"], environment)
      assert.strictEqual(set.code, 0, set.stderr)
      const known = yield* eventually(budgetOf(service), (answer) => answer["budget_usd"] === 1 && answer["requests"] >= 1)
      assert.isBelow(known["spent_usd"], 1)
      // Bills of twice the budget, each within 50 times the dearest candidate's estimate.
      for (let spent = 0; spent < 2; spent += 0.5) {
        const { recommendation_id } = yield* recommend(service)
        const said = yield* send(service, "/v1/feedback", {
          recommendation_id, outcome: "success", evidence_source: "gate", actual_cost_usd: 0.5
        })
        assert.isTrue(said["accepted"])
      }
      const spent = yield* eventually(budgetOf(service), (answer) => answer["spent_usd"] >= 1)
      assert.isAtLeast(spent["expected_usd"], spent["spent_usd"])
      const paced = yield* eventually(recommend(service), (answer) => answer["warnings"].includes("budget_paced"))
      assert.isBelow(paced["threshold_used"], before["threshold_used"])
      const theirs = { ...service, key: umbrellaKey }
      assert.strictEqual((yield* budgetOf(theirs))["spent_usd"], null)
      assert.notInclude((yield* recommend(theirs))["warnings"], "budget_paced")
      // Without the budget it is as it was.
      yield* sextant(["account", "set", "--instance", "acme", "--budget", "none"], environment)
      yield* eventually(budgetOf(service), (answer) => answer["budget_usd"] === null)
      yield* eventually(recommend(service), (answer) => !answer["warnings"].includes("budget_paced"))
      yield* stopService(service)
    }).pipe(Effect.scoped), 240_000)
})
