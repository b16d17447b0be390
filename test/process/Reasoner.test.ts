import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { SavingsResponse } from "../../src/domain/reports/Report.ts"
import { HealthResponse } from "../../src/domain/System.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { unclear } from "../engine/pipelines.ts"
import { inTime, trafficOf } from "../faults/invariants.ts"
import { type FakeReasoner, fakeReasoner, honest } from "../reasoner/fake.ts"
import { dataDirectory } from "../support/Databases.ts"
import { filesWith } from "../support/FilesWith.ts"
import { requestJson, type Service, startService, stopService } from "../support/Service.ts"

const secret = "canary-reasoner-0123456789"

const configured = ({ url }: Pick<FakeReasoner, "url">, provider: "openai" | "anthropic") => ({
  SEXTANT_REASONER_URL: url.href,
  SEXTANT_REASONER_PROVIDER: provider,
  SEXTANT_REASONER_MODEL: "gpt-4.1-mini",
  SEXTANT_REASONER_API_KEY: secret
})

const recommend = (service: Service, task: string, over = {}) =>
  requestJson(RecommendResponse, service, "/v1/recommend", { task: { task }, ...over })

const judging = (warnings: ReadonlyArray<string>) =>
  warnings.filter((warning) => warning.startsWith("reasoner_") || warning === "llm_classified")

const plainly = (model: RecommendResponse["recommendedModel"]) => [model.modelId, model.predictedSuccess]

describe.each(["openai", "anthropic"] as const)("a service with a reasoner of the %s kind", (provider) => {
  it.live("asks the reasoner, survives its outage, books its cost, and never discloses its key", () =>
    Effect.gen(function*() {
      const [directory, fake] = [yield* dataDirectory, yield* fakeReasoner]
      const service = yield* startService({ SEXTANT_DATA_DIR: directory, ...configured(fake, provider) })
      const { reasoner } = yield* requestJson(HealthResponse, service, "/v1/health")
      assert.deepStrictEqual(reasoner, { provider, configured: true })

      const typed = { task: "Fix this failing unit test", task_type: "code", difficulty: "medium" }
      const consulted = yield* recommend(service, "", { task: typed })
      assert.deepStrictEqual(judging(consulted.warnings), ["reasoner_consulted"])
      assert.strictEqual(consulted.decisionBasis, "llm")
      assert.isTrue(consulted.ranked.every((each) => each.decisionBasis === "llm"))

      const refined = yield* recommend(service, unclear)
      assert.deepStrictEqual(judging(refined.warnings), ["llm_classified", "reasoner_consulted"])
      assert.deepStrictEqual([refined.classifiedTaskType, refined.classifiedDifficulty], ["translation", "easy"])

      const before = fake.heard.length
      const unasked = yield* recommend(service, "", { task: typed, allow_llm_escalation: false })
      assert.deepStrictEqual(judging(unasked.warnings), [])
      assert.strictEqual(fake.heard.length, before)

      fake.state.script = (asked) => asked.candidates === null ? honest(asked) : {
        ranking: asked.candidates.map(({ model_id, predicted_success }) =>
          ({ model_id, predicted_success: predicted_success * 9, rationale: "" }))
      }
      const failed = yield* recommend(service, "", { task: typed })
      assert.deepStrictEqual(judging(failed.warnings), ["reasoner_failed"])
      assert.deepStrictEqual(plainly(failed.recommendedModel), plainly(unasked.recommendedModel))
      fake.state.trouble = (response) => {
        response.writeHead(401)
        response.end(`{"error":"the key ${secret} is wrong"}`)
      }
      const refused = yield* recommend(service, unclear)
      assert.deepStrictEqual(judging(refused.warnings), ["reasoner_failed"])

      // Four answers, one of them of no use; refusals cost nothing.
      const { summary } = yield* requestJson(SavingsResponse, service, "/v1/savings")
      assert.closeTo(summary.reasonerCostUsd ?? 0, 4 * (400 * 0.4 + 100 * 1.6) / 1e6, 1e-9)

      assert.strictEqual(yield* stopService(service), 0)
      assert.isNotEmpty(fake.heard)
      assert.deepStrictEqual(filesWith(directory, secret), [])
      for (const said of [service.stdout(), service.stderr()]) assert.notInclude(said, secret)
    }), 120_000)
})

describe("a service whose reasoner hangs", () => {
  it.live("answers both questions within the reasoner's timeout, asks later, and stops while it waits", () =>
    Effect.gen(function*() {
      const [directory, fake] = [yield* dataDirectory, yield* fakeReasoner]
      fake.state.trouble = () => undefined
      const service = yield* startService({
        SEXTANT_DATA_DIR: directory, ...configured(fake, "openai"), SEXTANT_REASONER_TIMEOUT_MS: "700"
      })
      const answer = yield* recommend(service, unclear)
      assert.deepStrictEqual(judging(answer.warnings), ["reasoner_failed"])
      // The time is used up by the first question, so there is no second.
      assert.strictEqual(fake.heard.length, 1)

      const traffic = trafficOf(service)
      const [plain] = (yield* traffic.recommend(1)).answers
      const asked = yield* traffic.recommend(3, { allow_llm_escalation: true })
      for (const { decisionBasis, recommendedModel, warnings } of asked.answers) {
        assert.deepStrictEqual([decisionBasis, recommendedModel.modelId], ["prior", plain?.recommendedModel.modelId])
        assert.deepStrictEqual(judging(warnings), ["reasoner_failed"])
      }
      inTime(asked, 700 + defaults.recallBudgetMs)

      // Its breaker lets a question through every 2 s, and one that is answered is used again.
      fake.state.trouble = null
      const again = yield* Effect.repeat(recommend(service, unclear), {
        until: ({ warnings }) => warnings.includes("reasoner_consulted"), schedule: Schedule.spaced("100 millis"), times: 150
      })
      assert.include(again.warnings, "reasoner_consulted")

      fake.state.trouble = () => undefined
      const heard = fake.heard.length
      const asking = yield* Effect.forkChild(recommend(service, "Fix this failing unit test"))
      yield* Effect.promise(async () => {
        while (fake.heard.length === heard) await new Promise((resolve) => setTimeout(resolve, 10))
      })
      assert.strictEqual(yield* stopService(service), 0)
      assert.deepStrictEqual(judging((yield* Fiber.join(asking)).warnings), ["reasoner_failed"])
    }), 120_000)
})
