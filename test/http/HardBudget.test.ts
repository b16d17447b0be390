import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { noSpend } from "../../src/stats/BudgetState.ts"
import { periodAt } from "../../src/stats/BudgetPacing.ts"
import { budgetOf, unspent } from "../support/budgets.ts"
import { engineService, feedback, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

/** Nothing is spent at first; then all of it is. */
const spending = () => {
  let usd = 0
  const look = Effect.sync(() => ({ ...unspent("day"), spend: { ...noSpend, requests: 1, billedUsd: usd } }))
  const budget = budgetOf({ usd: 50, period: "day", isHard: true }, look)
  return { service: engineService({ budget }), spend: () => usd = 50 }
}

const workflow = sendRequest("POST", "/v1/recommend/workflow", {
  key, json: { steps: [{ step_id: "one", task: { task: "Sum a list", task_type: "code" } }] }
})

const budgetRead = sendRequest("GET", "/v1/account/budget", { key })

describe("a hard budget over HTTP", () => {
  const { service, spend } = spending()
  it.live("refuses what does not fit with 429 budget_exhausted until the period ends, not feedback", () =>
    Effect.gen(function*() {
      const served = yield* recommend()
      assert.strictEqual(served.status, 200)
      assert.deepInclude((yield* budgetRead).body, { budget_usd: 50, hard: true })
      spend()
      // The reading of a moment ago counts for two seconds.
      const refused = yield* Effect.repeat(recommend(), { until: ({ status }) => status !== 200 })
      const inUnusualForm = yield* sendRequest("POST", "/v1/recommend?form=unusual", {
        key, json: { task: { task: "Sum a list" } }
      })
      const { endMs, startMs } = periodAt("day", Date.now())
      for (const { body, headers, status } of [refused, inUnusualForm, yield* workflow]) {
        assert.strictEqual(status, 429)
        assert.match(headers.get("content-type") ?? "", /^application\/problem\+json/)
        assert.deepInclude(body, { type: "budget_exhausted", title: "Budget exhausted", status: 429 })
        assert.include(body["detail"], "50 USD for this day")
        assert.include(body["detail"], new Date(endMs).toISOString())
        const seconds = Number(headers.get("retry-after"))
        assert.isAtLeast(seconds, 1)
        assert.isAtMost(seconds, (endMs - startMs) / 1_000)
        assert.closeTo(seconds, (endMs - Date.now()) / 1_000, 60)
      }
      const said = yield* feedback(served.body["recommendation_id"])
      assert.strictEqual(said.status, 200)
    }).pipe(Effect.provide(service)), 60_000)
})
