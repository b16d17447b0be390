import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { SavingsResponse } from "../../src/domain/reports/Report.ts"
import { feedbackOn } from "../cluster/drill.ts"
import { freshDatabase, postgresServer } from "../support/Databases.ts"
import { hasPgBouncer, pgBouncer } from "../support/PgBouncer.ts"
import { requestJson, sendRequest, type Service, sextant, startService, stopService } from "../support/Service.ts"

const loops = 16

/** As many loops, eight at a time; yields what their answers warn of. */
const drive = (service: Service) =>
  Effect.forEach(Array.from({ length: loops }, (_, i) => i), (i) =>
    Effect.gen(function*() {
      const { recommendationId, recommendedModel, warnings } = yield* requestJson(
        RecommendResponse, service, "/v1/recommend", { task: { task: `Sort ${i} names` }, namespace: `n${i % 3}` }
      )
      const body = feedbackOn(recommendationId, recommendedModel.modelId)
      const { accepted } = yield* requestJson(FeedbackResponse, service, "/v1/feedback", body)
      assert.isTrue(accepted)
      return warnings.filter((warning) => warning.includes("unavailable"))
    }), { concurrency: 8 }).pipe(Effect.map((all) => all.flat()))

describe.skipIf(postgresServer === null || !hasPgBouncer)("a service behind PgBouncer in transaction mode", () => {
  it.live("migrates, learns and reports on changing connections; doctor names what lacks (case 01)", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase(postgresServer ?? "")
      const pooler = yield* pgBouncer(url)
      const environment = { DATABASE_URL: Redacted.value(pooler.url) }
      const service = yield* startService(environment)
      yield* Effect.repeat(sendRequest(service, "/readyz"), {
        until: ({ status }) => status === 200, schedule: Schedule.spaced("100 millis")
      })
      for (let round = 1; round <= 2; round++) {
        assert.deepStrictEqual(yield* drive(service), [])
        pooler.renew()
      }
      const { summary: { realized } } = yield* requestJson(SavingsResponse, service, "/v1/savings")
      assert.strictEqual(realized.nReconciled, 2 * loops)
      const { code, stdout } = yield* sextant(["doctor"], environment)
      assert.strictEqual(code, 0, stdout)
      assert.match(stdout, /^warn +pooler .*no time limit.*\n +-> alter role "postgres" .* set statement_timeout = /m)
      assert.strictEqual(yield* stopService(service), 0, service.stderr())
    }), 120_000)
})
