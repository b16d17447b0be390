import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { FeedbackResponse } from "../../src/domain/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { lived } from "../support/builders.ts"
import { freshDatabase, postgresServer } from "../support/Databases.ts"
import { sendRequest, requestJson, type Service, stopService } from "../support/Service.ts"
import { copy, feedbackOn } from "./drill.ts"

const recommend = (service: Service, task: string, over: object = {}) =>
  requestJson(RecommendResponse, service, "/v1/recommend", { task: { task, task_type: "code" }, ...over })

const database = Effect.map(freshDatabase(postgresServer ?? ""), ({ url }) => Redacted.value(url))

const onDatabase = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })

describe.skipIf(postgresServer === null)("two copies on one database", () => {
  it.live("behave as one service: they share reports, claims, lanes and reflections", () =>
    Effect.gen(function*() {
      const url = yield* database
      const [a, b] = yield* Effect.all([copy(url), copy(url)], { concurrency: 2 })

      // Both have the lane in their cache before anything is told.
      for (const service of [a, b]) yield* recommend(service, "Fix the failing unit test of the cart")
      const { recommendationId, recommendedModel } = yield* recommend(a, "Fix the failing unit test of the tax")
      const { accepted } = yield* requestJson(FeedbackResponse, b, "/v1/feedback",
        feedbackOn(recommendationId, recommendedModel.modelId))
      assert.isTrue(accepted)
      // What was told at B, A recalls once it has looked for news, which it does every second.
      const seen = yield* Effect.map(recommend(a, "Fix the failing unit test of the cart"), ({ ranked }) =>
        ranked.flatMap(({ evidence }) => lived(evidence)).length).pipe(
        Effect.repeat({ until: (count) => count > 0, schedule: Schedule.spaced("100 millis"), times: 100 })
      )
      assert.isAbove(seen, 0)

      const claimed = yield* recommend(b, "Fix the failing unit test of the total")
      const body = { ...feedbackOn(claimed.recommendationId, claimed.recommendedModel.modelId), idempotency_key: "once" }
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, i) => i % 2 === 0 ? a : b),
        (service) => sendRequest(service, "/v1/feedback", body),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)

      // A lane is reflected on every 25 outcomes, by whichever copy comes first.
      for (let i = 0; i < 24; i++) {
        const asked = yield* recommend(i % 2 === 0 ? a : b, `Fix failing unit test ${i}`)
        yield* requestJson(FeedbackResponse, i % 3 === 0 ? a : b, "/v1/feedback",
          feedbackOn(asked.recommendationId, asked.recommendedModel.modelId))
      }
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const reflections = sql<{ readonly due: number; readonly most: number; readonly all: number }>`
          select count(*) filter (where reflected_at is null)::int as due, max(reflections)::int as most,
            count(*)::int as all from reflection`
        const [made] = yield* Effect.repeat(reflections, {
          until: ([row]) => row?.all === 1 && row.due === 0, schedule: Schedule.spaced("100 millis"), times: 300
        })
        assert.deepStrictEqual(made, { due: 0, most: 1, all: 1 })
        const counted = yield* sql`select sum(outcomes)::int as outcomes, (select count(*)::int from observation) as rows
          from outcome_record`
        assert.deepStrictEqual(counted, [{ outcomes: 26, rows: 26 }])
      }).pipe(Effect.provide(onDatabase(url)))
      assert.deepStrictEqual([yield* stopService(a), yield* stopService(b)], [0, 0])
    }), 180_000)
})
