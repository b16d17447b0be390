import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { FeedbackResponse } from "../../src/domain/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { makeProxy, none } from "../faults/proxy.ts"
import { freshDatabase, postgresServer } from "../support/Databases.ts"
import { awaitLog, requestJson, runToEnd, sendRequest, type Service, startService, stopService } from "../support/Service.ts"

const question = { task: { task: "Write a function that sums a list" } }
const recommend = (service: Service) => requestJson(RecommendResponse, service, "/v1/recommend", question)

const outcomeOf = ({ recommendationId, recommendedModel }: RecommendResponse) => ({
  recommendation_id: recommendationId,
  chosen_model_id: recommendedModel.modelId,
  outcome: "success",
  evidence_source: "gate"
})

/** Until it does, once in a while; the test's own time is the bound. */
const eventually = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.retry(effect, Schedule.spaced("200 millis"))

/** A fresh database behind a proxy, which refuses connections until it is opened. */
const behindProxy = Effect.gen(function*() {
  const database = yield* freshDatabase(postgresServer ?? "")
  const url = new URL(Redacted.value(database.url))
  const proxy = yield* makeProxy(Number(url.port || 5432))
  yield* proxy.set({ kind: "refuse" })
  url.hostname = "127.0.0.1"
  url.port = String(proxy.port)
  return { url: url.href, open: proxy.set(none), cut: proxy.set({ kind: "refuse" }) }
})

describe.skipIf(postgresServer === null)("a service whose PostgreSQL is down", () => {
  it.live("starts, answers what it can, and works once PostgreSQL is up, without a restart", () =>
    Effect.gen(function*() {
      const proxy = yield* behindProxy
      const service = yield* startService({ DATABASE_URL: proxy.url })
      assert.strictEqual((yield* sendRequest(service, "/v1/health")).status, 200)
      assert.strictEqual((yield* sendRequest({ ...service, key: "" }, "/v1/capabilities")).status, 200)
      const unverifiable = yield* sendRequest(service, "/v1/recommend", question)
      assert.strictEqual(unverifiable.status, 503, unverifiable.text)
      yield* awaitLog(service, /cannot be reached or prepared/)
      yield* proxy.open
      const advice = yield* eventually(recommend(service))
      const { accepted } = yield* eventually(requestJson(FeedbackResponse, service, "/v1/feedback", outcomeOf(advice)))
      assert.isTrue(accepted)
      assert.strictEqual(yield* stopService(service), 0, service.stderr())
    }), 120_000)

  it.live("continues to recommend for known keys, and stores those recommendations once PostgreSQL is back", () =>
    Effect.gen(function*() {
      const proxy = yield* behindProxy
      yield* proxy.open
      const service = yield* startService({ DATABASE_URL: proxy.url })
      yield* recommend(service)
      yield* proxy.cut
      const meanwhile: Array<RecommendResponse> = []
      for (let i = 0; i < 20; i++) meanwhile.push(yield* recommend(service))
      for (const { decisionBasis, warnings } of meanwhile) {
        assert.include(warnings, "memory_unavailable")
        assert.strictEqual(decisionBasis, "prior")
      }
      const early = yield* sendRequest(service, "/v1/feedback", outcomeOf(meanwhile[0]!))
      assert.strictEqual(early.status, 503, early.text)
      yield* proxy.open
      for (const advice of meanwhile) {
        const answer = yield* eventually(requestJson(FeedbackResponse, service, "/v1/feedback", outcomeOf(advice)))
        assert.deepStrictEqual({ accepted: answer.accepted, warnings: answer.warnings }, { accepted: true, warnings: [] })
      }
      yield* awaitLog(service, /has the decisions that waited/)
      yield* eventually(Effect.filterOrFail(recommend(service), ({ warnings }) =>
        !warnings.includes("memory_unavailable")))
    }), 120_000)

  it.live("does not start with an invalid URL, and reports it without its text", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* runToEnd(process.execPath, ["src/cli/main.ts", "serve"], {
        PORT: "0",
        DATABASE_URL: "mysql://root:secret@localhost/x"
      })
      assert.strictEqual(code, 1)
      assert.match(stderr, /DATABASE_URL must be a URL like postgres:/)
      assert.notInclude(stderr, "secret")
    }), 120_000)
})
