import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { FeedbackResponse } from "../../src/domain/Feedback.ts"
import { MemoryHealthResponse } from "../../src/domain/Lesson.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { dataDirectory, freshDatabase, postgresServer } from "../support/Databases.ts"
import { requestJson, type Service, sextant, startService, stopService } from "../support/Service.ts"

const namespace = "checkout"
const ask = (userId: string, i: number) => ({ task: { task: `Fix failing unit test ${i}`, task_type: "code" }, namespace, user_id: userId })

const tell = (service: Service, userId: string, times: number) =>
  Effect.gen(function*() {
    for (let i = 0; i < times; i++) {
      const { recommendationId, recommendedModel } = yield* requestJson(RecommendResponse, service, "/v1/recommend", ask(userId, i))
      const { accepted } = yield* requestJson(FeedbackResponse, service, "/v1/feedback", {
        recommendation_id: recommendationId, chosen_model_id: recommendedModel.modelId, outcome: "failure", evidence_source: "gate"
      })
      assert.isTrue(accepted)
    }
  })

const observations = (service: Service) =>
  Effect.map(requestJson(MemoryHealthResponse, service, `/v1/memory/health?namespace=${namespace}`), ({ entryCounts }) => entryCounts["observation"])

const undo = (environment: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) =>
  sextant(["memory", "undo", "--instance", "acme", ...flags], environment)

describe("sextant memory undo", () => {
  it.live.skipIf(postgresServer === null)("deletes an actor's outcomes while the service runs", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase(postgresServer ?? "")
      const environment = { DATABASE_URL: Redacted.value(url) }
      const service = yield* startService(environment)
      yield* tell(service, "ann", 3)
      yield* tell(service, "mallory", 4)
      const cells = Effect.map(
        requestJson(RecommendResponse, service, "/v1/recommend", ask("mallory", 9)),
        ({ ranked }) => ranked.flatMap(({ evidence }) => evidence!).filter(({ entryId }) => !entryId.startsWith("seed:")).length
      )
      assert.isAbove(yield* cells, 0)
      assert.strictEqual((yield* undo(environment, "--user-id", "mallory", "--namespace", "another")).code, 0)
      assert.strictEqual(yield* observations(service), 7)
      const done = yield* undo(environment, "--user-id", "mallory", "--since", "2020-01-01T00:00:00Z")
      assert.deepStrictEqual([done.code, done.stdout], [0, "sextant:checkout\t4 outcomes deleted\n"])
      assert.strictEqual(yield* observations(service), 3)
      // The service looks for news of its lanes every so often; mallory's neighbours are then gone.
      const left = yield* Effect.repeat(cells, { until: (count) => count === 0, schedule: Schedule.spaced("200 millis"), times: 100 })
      assert.strictEqual(left, 0)
    }), 120_000)

  it.live("works on the embedded database while its service runs, and requires a criterion", () =>
    Effect.gen(function*() {
      const environment = { SEXTANT_DATA_DIR: yield* dataDirectory }
      const service = yield* startService(environment)
      yield* tell(service, "mallory", 2)
      const bare = yield* undo(environment)
      assert.strictEqual(bare.code, 1)
      assert.include(bare.stderr, "--user-id")
      const done = yield* undo(environment, "--until", "2100-01-01")
      assert.deepStrictEqual([done.code, done.stdout], [0, "sextant:checkout\t2 outcomes deleted\n"])
      assert.strictEqual(yield* observations(service), 0)
      assert.strictEqual(yield* stopService(service), 0)
      assert.include((yield* undo(environment, "--user-id", "mallory")).stdout, "No outcome matches")
    }), 120_000)
})
