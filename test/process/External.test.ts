import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Schedule } from "effect"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { MemoryHealthResponse, StrategiesResponse } from "../../src/domain/Lesson.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { HealthResponse } from "../../src/domain/System.ts"
import { dataDirectory } from "../support/Databases.ts"
import { filesWith } from "../support/FilesWith.ts"
import { sendRequest, requestJson, canary, type Service, startService, startMemory, stopService, umbrellaKey } from "../support/Service.ts"

class NotYet extends Data.TaggedError("NotYet")<{ readonly found: ReadonlyArray<number> }> {}

const recommend = (service: Service, n: number) =>
  requestJson(RecommendResponse, service, "/v1/recommend", { task: { task: `Fix the failing unit test number ${n}` } })

/** Asks for a recommendation and reports a verified success; yields the warnings of both answers. */
const askAndTell = (service: Service, n: number) =>
  Effect.gen(function*() {
    const { recommendationId, recommendedModel, warnings } = yield* recommend(service, n)
    const body = {
      recommendation_id: recommendationId,
      chosen_model_id: recommendedModel.modelId,
      outcome: "success",
      quality_score: 0.9,
      evidence_source: "gate",
      actual_cost_usd: 0.001,
      step_outcomes: [{ step_id: "one", outcome: "success" }]
    }
    const { accepted, warnings: told } = yield* requestJson(FeedbackResponse, service, "/v1/feedback", body)
    assert.isTrue(accepted)
    return { warnings, told, body }
  })

const rounds = (service: Service, count: number) =>
  Effect.forEach(Array.from({ length: count }, (_, n) => n), (n) => askAndTell(service, n))

const countsOf = (service: Service) => requestJson(MemoryHealthResponse, service, "/v1/memory/health")

/** Waits up to 40 s until the memory has this many outcomes, lessons and step rewards, which arrive one by one. */
const arrived = (service: Service, count: number) =>
  countsOf(service).pipe(
    Effect.flatMap(({ entryCounts }) => {
      const found = ["observation", "lesson", "step_reward"].map((kind) => entryCounts[kind] ?? 0)
      return found.every((each) => each === count) ? Effect.void : Effect.fail(new NotYet({ found }))
    }),
    Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 200 })
  )

describe("a service whose memory is another process", () => {
  it.live("answers while the memory is down and after it returns, and loses no feedback", () =>
    Effect.gen(function*() {
      const [here, there] = [yield* dataDirectory, yield* dataDirectory]
      const first = yield* startMemory({ SEXTANT_DATA_DIR: there })
      const memoryAgain = startMemory({ SEXTANT_DATA_DIR: there, PORT: new URL(first.baseUrl).port })
      const environment = { SEXTANT_DATA_DIR: here, SEXTANT_MEMORY_URL: first.baseUrl, SEXTANT_BOOTSTRAP_KEYS: "" }
      const service = yield* startService(environment)

      const health = yield* requestJson(HealthResponse, service, "/v1/health")
      assert.deepStrictEqual(
        [health.status, health.memory.endpoint, health.memory.orgId],
        ["ok", first.baseUrl, "acme"]
      )
      const well = yield* rounds(service, 5)
      // A busy machine may be late with some writes, and warns of them, but not with all.
      assert.isTrue(well.some(({ told }) => told.length === 0))
      assert.isTrue(well.every(({ warnings }) => !warnings.includes("memory_unavailable")))
      yield* arrived(service, 5)
      assert.isAbove((yield* requestJson(StrategiesResponse, service, "/v1/strategies")).count, 0)

      yield* first.kill("SIGKILL")
      yield* first.exitCode
      const late = yield* rounds(service, 10)
      for (const { told, warnings } of late) {
        assert.include(warnings, "memory_unavailable")
        assert.include(told, "memory_write_failed")
      }
      assert.strictEqual((yield* requestJson(HealthResponse, service, "/v1/health")).status, "degraded")
      assert.include((yield* countsOf(service)).warnings, "memory_unavailable")
      // Without the memory nobody can tell that an unknown key is bad.
      assert.strictEqual((yield* sendRequest({ ...service, key: umbrellaKey }, "/v1/savings")).status, 503)

      const second = yield* memoryAgain
      yield* arrived(service, 15)
      for (const { body } of late) {
        assert.include((yield* requestJson(FeedbackResponse, service, "/v1/feedback", body)).warnings, "memory_write_failed")
      }
      assert.isTrue((yield* rounds(service, 2)).some(({ told }) => told.length === 0))
      assert.strictEqual((yield* sendRequest({ ...service, key: `${service.key}x` }, "/v1/savings")).status, 401)
      const stranger = yield* countsOf({ ...service, key: umbrellaKey })
      assert.deepStrictEqual([stranger.warnings, stranger.entryCounts["observation"]], [[], 0])

      // Both die with unsent writes. The account's next request brings its key, and the writes arrive.
      yield* second.kill("SIGKILL")
      yield* second.exitCode
      yield* rounds(service, 3)
      yield* service.kill("SIGKILL")
      yield* service.exitCode
      const heir = yield* startService(environment)
      assert.strictEqual((yield* sendRequest({ ...heir, key: "" }, "/v1/health")).status, 200)
      assert.strictEqual((yield* sendRequest(heir, "/v1/recommend", { task: { task: "Sum" } })).status, 503)
      const third = yield* memoryAgain
      yield* arrived(heir, 20)
      assert.deepStrictEqual(filesWith(here, canary), [])
      assert.strictEqual(yield* stopService(heir), 0)
      assert.strictEqual(yield* stopService(third), 0)
      for (const { stderr, stdout } of [service, heir, first, second, third]) {
        assert.notInclude(stdout() + stderr(), canary)
      }
    }), 240_000)

  it.live("reflects on outcomes that reach the memory late, after their feedback was answered", () =>
    Effect.gen(function*() {
      const there = yield* dataDirectory
      const memory = yield* startMemory({ SEXTANT_DATA_DIR: there })
      const service = yield* startService({
        SEXTANT_DATA_DIR: yield* dataDirectory, SEXTANT_MEMORY_URL: memory.baseUrl, SEXTANT_BOOTSTRAP_KEYS: ""
      })
      // The service has cached the caller and the lane.
      yield* recommend(service, 0)
      yield* memory.kill("SIGKILL")
      yield* memory.exitCode
      const told = yield* Effect.forEach(Array.from({ length: 8 }), () =>
        Effect.gen(function*() {
          const { recommendationId, recommendedModel } = yield* recommend(service, 0)
          const body = {
            recommendation_id: recommendationId, chosen_model_id: recommendedModel.modelId, outcome: "failure", quality_score: 0.1,
            evidence_source: "gate"
          }
          const answer = yield* requestJson(FeedbackResponse, service, "/v1/feedback", body)
          assert.include(answer.warnings, "memory_write_failed")
          assert.isFalse(answer.reflectionTriggered)
          return { body, answer }
        }))
      const waiting = Effect.map(requestJson(HealthResponse, service, "/v1/health"), (health) => health.memory.outboxWaiting)
      assert.isAtLeast((yield* waiting) ?? 0, 8)
      yield* startMemory({ SEXTANT_DATA_DIR: there, PORT: new URL(memory.baseUrl).port })
      const spaced = { schedule: Schedule.spaced("100 millis"), times: 300 }
      // Reads of the memory are 503 until the service asks the memory again.
      const { strategies } = yield* requestJson(StrategiesResponse, service, "/v1/strategies?lesson_types=failure").pipe(
        Effect.retry(spaced), Effect.repeat({ until: ({ count }) => count > 0, ...spaced })
      )
      assert.isTrue(strategies.some(({ description }) => /^For code:\w+ avoid /.test(description)), JSON.stringify(strategies))
      assert.strictEqual((yield* Effect.repeat(Effect.retry(countsOf(service), spaced), {
        until: ({ entryCounts }) => entryCounts["observation"] === 8, ...spaced
      })).entryCounts["observation"], 8)
      assert.strictEqual(yield* Effect.repeat(waiting, { until: (count) => count === 0, ...spaced }), 0)
      for (const { answer, body } of told) {
        assert.deepStrictEqual(yield* requestJson(FeedbackResponse, service, "/v1/feedback", body), answer)
      }
    }), 120_000)
})
