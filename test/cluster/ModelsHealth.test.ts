import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { migratedDatabase, onServer, postgresServer } from "../support/Databases.ts"
import { requestJson, sendRequest, type Service, startService, umbrellaKey } from "../support/Service.ts"

const candidates = ["gpt-5-mini", "claude-haiku-4-5", "gemini-2.5-flash"]

const recommend = (service: Service, over: object = {}) =>
  requestJson(RecommendResponse, service, "/v1/recommend", {
    task: { task: "Classify a ticket", task_type: "classification" }, constraints: { candidate_models: candidates },
    allow_llm_escalation: false, ...over
  })

const report = (service: Service, id: string, modelId: string, over: object = {}) =>
  Effect.map(sendRequest(service, "/v1/feedback", {
    recommendation_id: id, chosen_model_id: modelId, outcome: "failure", provider_status: 429, ...over
  }), ({ status }) => assert.strictEqual(status, 200))

/** Asks and reports, so many times. */
const told = (service: Service, modelId: string, times: number, over: object = {}, asked: object = {}) =>
  Effect.forEach(Array.from({ length: times }), () =>
    Effect.flatMap(recommend(service, asked), ({ recommendationId }) => report(service, recommendationId, modelId, over)),
    { concurrency: 4, discard: true })

const warnings = (answer: RecommendResponse) => answer.warnings.filter((each) => each.startsWith("model_unhealthy"))

/** Asks until the answer is as expected; fails after 10 s. */
const until = (service: Service, holds: (answer: RecommendResponse) => boolean) =>
  Effect.repeat(recommend(service), { until: holds, schedule: Schedule.spaced("100 millis"), times: 100 })

describe.skipIf(postgresServer === null)("two copies on one database", () => {
  it.live("share which models cannot be called, let one caller try again, and tell no other account", () =>
    Effect.gen(function*() {
      const url = Redacted.value((yield* migratedDatabase).url)
      const [a, b] = yield* Effect.all([startService({ DATABASE_URL: url }), startService({ DATABASE_URL: url })], { concurrency: 2 })
      const other = { ...b, key: umbrellaKey }
      const usual = (yield* recommend(a)).recommendedModel.modelId
      assert.strictEqual((yield* recommend(b)).recommendedModel.modelId, usual)

      // A model that nobody has heard of, and one noisy user among others, change nothing.
      yield* told(a, "no/such-model", 12)
      yield* told(a, usual, 12, { retry_after_ms: 600_000 }, { user_id: "noisy" })
      yield* told(a, usual, 12, { outcome: "success", provider_status: null, evidence_source: "none" }, { user_id: "fine" })
      yield* Effect.sleep("1500 millis")
      assert.strictEqual((yield* recommend(b)).recommendedModel.modelId, usual)

      yield* told(a, usual, 30, {}, { user_id: "third" })
      yield* told(a, usual, 10, {}, { user_id: "fine" })
      const [pastA, pastB] = yield* Effect.forEach([a, b], (service) =>
        until(service, (answer) => warnings(answer).length > 0))
      for (const past of [pastA, pastB]) {
        assert.notStrictEqual(past?.recommendedModel.modelId, usual)
        assert.deepStrictEqual(past === undefined ? [] : warnings(past), [`model_unhealthy:${usual}`])
      }
      // Where nothing else is allowed, it is the pick all the same, with the warning.
      const only = yield* recommend(b, { constraints: { candidate_models: [usual] } })
      assert.deepStrictEqual([only.recommendedModel.modelId, warnings(only)], [usual, [`model_unhealthy:${usual}`]])
      // Another account knows nothing of it, and a rate limit has taught nothing of the model's quality.
      const foreign = yield* recommend(other)
      assert.deepStrictEqual([foreign.recommendedModel.modelId, warnings(foreign)], [usual, []])
      const known = yield* recommend(a, { constraints: { candidate_models: candidates } })
      assert.isEmpty(known.ranked.filter(({ modelId }) => modelId === usual))

      // A quarter of a minute later, by the only clock that counts, one of many callers tries it, on whichever copy.
      yield* onServer(url, "update model_call set failed_at = failed_at - interval '15 seconds'")
      yield* Effect.sleep("1500 millis")
      const asked = yield* Effect.forEach(Array.from({ length: 12 }), (_, i) => recommend(i % 2 === 0 ? a : b),
        { concurrency: "unbounded" })
      const tries = asked.filter(({ recommendedModel }) => recommendedModel.modelId === usual)
      assert.lengthOf(tries, 1)
      assert.deepStrictEqual(warnings(tries[0]!), [`model_unhealthy:${usual}`])
      // It broke again: the others go on passing it by.
      yield* report(b, tries[0]!.recommendationId, usual)
      yield* Effect.sleep("1500 millis")
      assert.notStrictEqual((yield* recommend(a)).recommendedModel.modelId, usual)
      // Good calls in a row say that it is well.
      for (let i = 0; i < 12; i++) {
        const { recommendationId } = yield* recommend(a)
        yield* report(a, recommendationId, usual, { outcome: "success", provider_status: null, evidence_source: "none" })
      }
      const well = yield* until(b, (answer) => warnings(answer).length === 0)
      assert.strictEqual(well.recommendedModel.modelId, usual)
    }), 240_000)
})
