import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { FeedbackResponse } from "../../src/domain/Feedback.ts"
import { MemoryHealthResponse } from "../../src/domain/Lesson.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { HealthResponse } from "../../src/domain/System.ts"
import { answerWith, type Fake, fakeMubit } from "../memory/mubit/fake.ts"
import { dataDirectory } from "../support/Databases.ts"
import { filesWith } from "../support/FilesWith.ts"
import { sendRequest, requestJson, canary, type Service, startService, stopService } from "../support/Service.ts"

const task = { task: { task: "Fix the failing unit test of the parser", task_type: "code", difficulty: "easy" } }

const recommend = (service: Service) => requestJson(RecommendResponse, service, "/v1/recommend", task)

/** What was lived through: the catalog's seeds are none of the backend's. */
const evidenceIn = ({ ranked }: RecommendResponse) =>
  ranked.flatMap(({ evidence }) => evidence!).filter(({ entryId }) => !entryId.startsWith("seed:"))

const tell = (service: Service, { recommendationId, recommendedModel }: RecommendResponse) =>
  requestJson(FeedbackResponse, service, "/v1/feedback", {
    recommendation_id: recommendationId,
    chosen_model_id: recommendedModel.modelId,
    outcome: "success",
    quality_score: 0.95,
    evidence_source: "gate",
    actual_cost_usd: 0.001,
    step_outcomes: [{ step_id: "one", outcome: "success" }]
  })

const outcomesIn = ({ run }: Fake) =>
  [...run("acme").entries.values()].filter(({ intent }) => intent === "fact").length

/** Looks until the backend holds so many outcomes; each look at its health is what it works by. */
const arrived = (service: Service, fake: Fake, count: number) =>
  requestJson(MemoryHealthResponse, service, "/v1/memory/health").pipe(
    Effect.flatMap(() => outcomesIn(fake) === count ? Effect.void : Effect.fail("not yet" as const)),
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 200, while: (error) => error === "not yet" })
  )

describe("a service whose memory is the hosted backend", () => {
  it.live("recommends from it and learns into it, and loses no feedback while it is down", () =>
    Effect.gen(function*() {
      const fake = yield* fakeMubit()
      const directory = yield* dataDirectory
      const started = yield* startService({
        SEXTANT_DATA_DIR: directory,
        SEXTANT_MEMORY_URL: fake.url.href,
        SEXTANT_MEMORY_PROTOCOL: "mubit",
        SEXTANT_BOOTSTRAP_KEYS: ""
      })
      const service = { ...started, key: `mbt_acme_k1_${canary}` }
      const health = yield* requestJson(HealthResponse, service, "/v1/health")
      assert.deepStrictEqual(
        [health.status, health.memory.endpoint, health.memory.orgId],
        ["ok", fake.url.origin, "acme"]
      )
      assert.strictEqual((yield* sendRequest({ ...service, key: `mbt_acme_bad1_${canary}` }, "/v1/savings")).status, 401)

      const first = yield* recommend(service)
      assert.notInclude(first.warnings, "memory_unavailable")
      // A machine that is busy may be late, and then tells it again.
      assert.isTrue((yield* tell(service, first)).accepted)
      yield* arrived(service, fake, 1)
      const second = yield* recommend(service)
      assert.lengthOf(evidenceIn(second), 1)

      fake.state.trouble = (_heard, response) => answerWith(response, 503, {})
      const third = yield* recommend(service)
      assert.include(third.warnings, "memory_unavailable")
      for (const asked of [second, third]) {
        assert.include((yield* tell(service, asked)).warnings, "memory_write_failed")
      }
      fake.state.trouble = null
      yield* arrived(service, fake, 3)
      const { outcomes } = fake.run("acme")
      yield* Effect.suspend(() => outcomes.size > 0 ? Effect.void : Effect.fail("not voted yet")).pipe(
        Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 100 })
      )
      const last = yield* recommend(service)
      assert.notInclude(last.warnings, "memory_unavailable")
      assert.lengthOf(evidenceIn(last), 3)

      assert.deepStrictEqual(filesWith(directory, canary), [])
      assert.strictEqual(yield* stopService(service), 0)
      assert.notInclude(service.stdout() + service.stderr(), canary)
    }), 120_000)
})
