// Tasks that are run until a result passes, with the plans of the real service.
import { assert, describe, it } from "@effect/vitest"
import { createSextant } from "../../../packages/client/src/index.ts"
import { runVerified } from "../../../packages/client/src/verify/index.ts"
import { models } from "./support/RealService.ts"
import { served } from "./support/Stage.ts"

const task = "Fix the failing test of the shopping cart"

const service = served()

const client = (over: object = {}) =>
  createSextant({ ...service, models, defaultModelId: "dear", deadlineMs: 10_000, ...over })

const usage = () => ({ inputTokens: 900, outputTokens: 100 })

describe("a run whose results are verified, with the real service", () => {
  it("goes to a model that has not failed, and reports each attempt on the decision behind it", async () => {
    const sextant = client()
    let checks = 0
    const done = await runVerified(sextant, task, (modelId) => modelId, {
      usage, verify: () => ++checks === 2, request: { success_value_usd: 100 }
    })
    assert.isTrue(done.isVerified)
    const ran = done.attempts.map(({ modelId }) => modelId)
    assert.lengthOf(ran, 2)
    assert.lengthOf(new Set(ran), 2)
    assert.isAbove(done.costUsd ?? 0, 0)
    assert.isTrue(await sextant.flush())
    assert.strictEqual(service.asked.length, ran.length)
    assert.deepStrictEqual(service.asked.map(({ attempts }) => attempts?.length), ran.map((_, i) => i))
    assert.isTrue(service.reports.every(({ answer }) => answer.accepted && answer.warnings?.length === 0))
    const verdicts = service.reports.filter(({ sent }) => sent.evidence_source === "gate")
    assert.deepStrictEqual(
      verdicts.map(({ sent }) => [sent.recommendation_id, sent.chosen_model_id, sent.outcome]),
      done.attempts.map(({ modelId, quality, recommendationId }) =>
        [recommendationId ?? "", modelId, quality === 1 ? "success" : "failure"])
    )
  })

  it("is one finished task of the savings, however its reports come in", async () => {
    const sextant = client({ namespace: "one-task" })
    let checks = 0
    await runVerified(sextant, task, (modelId) => modelId, { usage, verify: () => ++checks === 2, request: { success_value_usd: 100 } })
    const other = await sextant.choose(task, { taskId: "by-name" })
    await other.run((modelId) => modelId, { usage })
    assert.isTrue(sextant.score(other, true))
    assert.isTrue(await sextant.flush())
    assert.strictEqual(service.reports.at(-1)?.sent.task_id, "by-name")
    assert.isTrue(service.reports.every(({ answer }) => answer.accepted && answer.warnings?.length === 0))
    const savings = await fetch(`${service.baseUrl}/v1/savings?namespace=one-task`, { headers: { authorization: `Bearer ${service.apiKey}` } })
    const { tasks } = await savings.json()
    assert.deepInclude(tasks, { n: 2, n_finished: 2, n_finished_at_first: 1, n_unknown: 0, attempts_per_task: 1.5 })
  })

  it("has a plan that knows of the failure, which no field that it ignored has spoiled", async () => {
    const sextant = client()
    const seen: Array<{ readonly attempt: number | null | undefined; readonly dear: number }> = []
    const choose: typeof sextant.choose = async (...args) => {
      const choice = await sextant.choose(...args)
      const { attempt_number: attempt, ranked = [], warnings = [] } = choice.recommendation ?? {}
      assert.deepStrictEqual(warnings.filter((each) => each.startsWith("unknown_")), [])
      seen.push({ attempt, dear: ranked.find(({ model_id }) => model_id === "dear")?.predicted_success ?? 0 })
      return choice
    }
    const done = await runVerified({ ...sextant, choose }, task, (modelId) => modelId, {
      usage, verify: () => false, maxAttempts: 2, request: { success_value_usd: 100 }
    })
    assert.deepInclude(done, { isVerified: false, stop: "max_attempts" })
    assert.deepStrictEqual(seen.map(({ attempt }) => attempt), [1, 2])
    assert.isBelow(seen[1]?.dear ?? 1, seen[0]?.dear ?? 0)
    await sextant.flush()
  })

  it("goes on by the plan in hand when the service goes down after the first attempt", async () => {
    const sextant = client({ onDefault: () => {} })
    const done = await runVerified(sextant, task, (modelId) => modelId, {
      usage,
      request: { success_value_usd: 100 },
      verify: async () => {
        await sextant.flush()
        service.set("down")
        return false
      }
    })
    const [first] = service.asked
    assert.lengthOf(service.asked, 1)
    assert.strictEqual(first?.max_attempts, 3)
    const ran = done.attempts.map(({ modelId }) => modelId)
    assert.isAbove(ran.length, 1)
    assert.lengthOf(new Set(ran), ran.length)
    assert.lengthOf(new Set(done.attempts.map(({ recommendationId }) => recommendationId)), 1)
  })

  it("obeys the limit of cost that the service's plan obeys", async () => {
    const sextant = client()
    const { attempts, costUsd, stop } = await runVerified(sextant, task, (modelId) => modelId, {
      usage, verify: () => false, maxTotalCostUsd: 0.000001, request: { success_value_usd: 100 }
    })
    assert.strictEqual(stop, "max_total_cost")
    assert.isAtMost(costUsd ?? 1, 0.000001)
    assert.isEmpty(attempts)
  })

  for (const state of ["down", 500] as const) {
    it(`runs the default once when the service is ${state}`, async () => {
      service.set(state)
      const done = await runVerified(client({ onDefault: () => {} }), task, (modelId) => modelId, { verify: () => false })
      assert.deepStrictEqual(done.attempts.map(({ modelId }) => modelId), ["dear"])
      assert.strictEqual(done.stop, "no_model")
    })
  }
})
