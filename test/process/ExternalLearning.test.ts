import { assert, layer } from "@effect/vitest"
import { Context, Data, Effect, Layer, Schedule } from "effect"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { DiagnoseResponse, MemoryHealthResponse, StrategiesResponse } from "../../src/domain/Lesson.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { HealthResponse } from "../../src/domain/System.ts"
import { lived } from "../support/builders.ts"
import { dataDirectory, slow } from "../support/Databases.ts"
import { requestJson, type Service, startService, startMemory } from "../support/Service.ts"

class NotYet extends Data.TaggedError("NotYet")<{ readonly found: unknown }> {}

/** A service, and the memory process that it works on. */
class Pair extends Context.Service<Pair, {
  readonly service: Service
  readonly memory: Service
  readonly memoryDirectory: string
}>()("test/process/Pair") {
  static readonly layer = Layer.effect(
    Pair,
    Effect.gen(function*() {
      const memoryDirectory = yield* dataDirectory
      const memory = yield* startMemory({ SEXTANT_DATA_DIR: memoryDirectory })
      const service = yield* startService({
        SEXTANT_DATA_DIR: yield* dataDirectory,
        SEXTANT_MEMORY_URL: memory.baseUrl,
        SEXTANT_BOOTSTRAP_KEYS: ""
      })
      return { service, memory, memoryDirectory }
    })
  )
}

/** Looks until `isThere`: what is late is delivered later, and reflection happens off the caller's path. */
const eventually = <A, E, R>(look: Effect.Effect<A, E, R>, isThere: (found: A) => boolean) =>
  look.pipe(
    Effect.flatMap((found) => isThere(found) ? Effect.succeed(found) : Effect.fail(new NotYet({ found }))),
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 300 })
  )

const recommend = (service: Service, namespace: string, over: object = {}) =>
  requestJson(RecommendResponse, service, "/v1/recommend", {
    task: { task: "Fix the failing unit test of the shopping cart's total", task_type: "code", difficulty: "easy" },
    namespace,
    ...over
  })

/** A recommendation and what it came to at a gate. */
const tell = Effect.fnUntraced(function*(service: Service, namespace: string, over: object, asked: object = {}) {
  const { recommendationId, recommendedModel } = yield* recommend(service, namespace, asked)
  const body = {
    recommendation_id: recommendationId,
    chosen_model_id: recommendedModel.modelId,
    evidence_source: "gate",
    ...over
  }
  return { body, answer: yield* requestJson(FeedbackResponse, service, "/v1/feedback", body) }
})

const failed = { outcome: "failure", quality_score: 0.1 }
const succeeded = { outcome: "success", quality_score: 0.9 }

const arrived = (service: Service, namespace: string, count: number) =>
  eventually(
    requestJson(MemoryHealthResponse, service, `/v1/memory/health?namespace=${namespace}`),
    ({ entryCounts }) => entryCounts["observation"] === count
  )

const failures = (service: Service, namespace: string) =>
  requestJson(StrategiesResponse, service, `/v1/strategies?namespace=${namespace}&lesson_types=failure`)

const trace = (user: string, line: number) =>
  [
    `[2026-11-2${line % 10}T10:00:00Z] worker-${line} TypeError: Cannot read properties of undefined (reading 'rows')`,
    `    at loadInvoices (/home/${user}/app/src/invoices.ts:${line}:9)`,
    `    at async Server.<anonymous> (file:///home/${user}/app/server.mjs:${line * 2}:7)`
  ].join("\n")

layer(Pair.layer, slow)("a service that learns in another process", (it) => {
  it.effect("finds the lesson of a failure by its stack trace with other line numbers", () =>
    Effect.gen(function*() {
      const { service } = yield* Pair
      const { body } = yield* tell(service, "traces", { ...failed, notes: trace("ann", 12) })
      const diagnose = (error_text: string) =>
        requestJson(DiagnoseResponse, service, "/v1/diagnose", { error_text, namespace: "traces" })
      const found = yield* eventually(diagnose(trace("bob", 987)), ({ failureLessons }) => failureLessons.length > 0)
      assert.deepStrictEqual([found.totalFailureLessons, found.warnings], [1, []])
      assert.include(found.failureLessons[0]?.content, body.chosen_model_id)
      assert.include(found.failureLessons[0]?.content, "Cannot read properties of undefined")
      assert.strictEqual((yield* diagnose("ECONNREFUSED 127.0.0.1:5432")).totalFailureLessons, 0)
    }), 60_000)

  it.effect("reflects on failures at a gate that came without an error text", () =>
    Effect.gen(function*() {
      const { service } = yield* Pair
      const model = (yield* recommend(service, "silent")).recommendedModel.modelId
      // It would be abandoned before it had failed often enough to be told of.
      const only = { constraints: { candidate_models: [model] } }
      const told = yield* Effect.replicateEffect(tell(service, "silent", failed, only), 8)
      assert.isTrue(told.some(({ answer }) => answer.reflectionTriggered))
      for (const { answer } of told) {
        assert.isTrue(answer.reflectionTriggered || answer.warnings.includes("memory_write_failed"))
      }
      const { strategies } = yield* eventually(failures(service, "silent"), ({ count }) => count > 0)
      assert.isTrue(strategies.some(({ description }) => description.startsWith(`For code:easy avoid ${model}`)))
    }), 60_000)

  it.effect("uses only a user's own outcomes as evidence, and those of all users for the prior", () =>
    Effect.gen(function*() {
      const { service } = yield* Pair
      const cold = yield* recommend(service, "users")
      const model = cold.recommendedModel.modelId
      const as = (user_id: string | null) => ({ user_id, constraints: { candidate_models: [model] } })
      yield* Effect.replicateEffect(tell(service, "users", succeeded, as("ann")), 3)
      yield* Effect.replicateEffect(tell(service, "users", failed, as("bob")), 2)
      yield* arrived(service, "users", 5)
      const seenBy = (user_id: string | null) =>
        Effect.map(recommend(service, "users", as(user_id)), ({ recommendedModel, warnings }) => {
          assert.notInclude(warnings, "cold_start")
          assert.strictEqual(recommendedModel.decisionBasis, "memory")
          return {
            observed: lived(recommendedModel.evidence).map(({ observedSuccess }) => observedSuccess).toSorted((a, b) => a - b),
            predicted: recommendedModel.predictedSuccess
          }
        })
      const [ann, bob, stranger, all] = [
        yield* seenBy("ann"), yield* seenBy("bob"), yield* seenBy("carol"), yield* seenBy(null)
      ]
      assert.deepStrictEqual(ann.observed, [0.9, 0.9, 0.9])
      assert.deepStrictEqual(bob.observed, [0.1, 0.1])
      assert.deepStrictEqual(stranger.observed, [])
      assert.deepStrictEqual(all.observed, [0.1, 0.1, 0.9, 0.9, 0.9])
      assert.isTrue(bob.predicted < stranger.predicted && stranger.predicted < ann.predicted)
      // Three of five are a worse record than the prior of the model that is picked first.
      assert.isBelow(stranger.predicted, cold.recommendedModel.predictedSuccess)
    }), 60_000)

  // The last: it ends the memory that the others work on.
  it.effect("reflects on outcomes that reach memory late, after their feedback was answered", () =>
    Effect.gen(function*() {
      const { memory, memoryDirectory, service } = yield* Pair
      yield* recommend(service, "late")
      yield* memory.kill("SIGKILL")
      yield* memory.exitCode
      const told = yield* Effect.replicateEffect(tell(service, "late", failed), 8)
      for (const { answer } of told) {
        assert.include(answer.warnings, "memory_write_failed")
        assert.isFalse(answer.reflectionTriggered)
      }
      const waiting = Effect.map(requestJson(HealthResponse, service, "/v1/health"), ({ memory: { outboxWaiting } }) =>
        outboxWaiting)
      assert.isAtLeast((yield* waiting) ?? 0, 8)
      yield* startMemory({ SEXTANT_DATA_DIR: memoryDirectory, PORT: new URL(memory.baseUrl).port })
      yield* arrived(service, "late", 8)
      const { strategies } = yield* eventually(failures(service, "late"), ({ count }) => count > 0)
      assert.isTrue(strategies.some(({ description }) => description.startsWith("For code:easy avoid ")))
      yield* eventually(waiting, (count) => count === 0)
      for (const { answer, body } of told) {
        assert.deepStrictEqual(yield* requestJson(FeedbackResponse, service, "/v1/feedback", body), answer)
      }
    }), 60_000)
})
