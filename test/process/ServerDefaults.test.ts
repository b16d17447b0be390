import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { SavingsResponse } from "../../src/domain/reports/Report.ts"
import { feedbackOn } from "../cluster/drill.ts"
import { freshDatabase, onServer, postgresServer } from "../support/Databases.ts"
import { awaitLog, requestJson, sendRequest, type Service, sextant, startService, stopService } from "../support/Service.ts"

const server = postgresServer ?? ""
const question = { task: { task: "Write a function that sums a list" } }

/** Waits until the service has its schema. */
const isReady = (service: Service) =>
  Effect.repeat(sendRequest(service, "/readyz"), {
    until: ({ status }) => status === 200, schedule: Schedule.spaced("100 millis")
  })

describe.skipIf(postgresServer === null)("a service on a PostgreSQL with defaults that break promises", () => {
  it.live("starts, migrates, learns and reports its savings, although each of them would stop it", () =>
    Effect.gen(function*() {
      const { name, url } = yield* freshDatabase(server)
      for (const each of [
        "synchronous_commit = off", "search_path = nowhere", "row_security = off", "standard_conforming_strings = off",
        "session_replication_role = replica", "default_transaction_isolation = serializable",
        "idle_in_transaction_session_timeout = 1"
      ]) yield* onServer(server, `alter database ${name} set ${each}`)
      const service = yield* startService({ DATABASE_URL: Redacted.value(url) })
      yield* isReady(service)
      yield* Effect.forEach(Array.from({ length: 12 }), () =>
        Effect.gen(function*() {
          const { recommendationId, recommendedModel } = yield* requestJson(RecommendResponse, service, "/v1/recommend", question)
          const body = feedbackOn(recommendationId, recommendedModel.modelId)
          assert.isTrue((yield* requestJson(FeedbackResponse, service, "/v1/feedback", body)).accepted)
        }), { concurrency: 6, discard: true })
      const { summary: { estimated, realized } } = yield* requestJson(SavingsResponse, service, "/v1/savings")
      assert.deepStrictEqual([estimated.n, realized.nReconciled], [12, 12])
      assert.closeTo(realized.realizedCostUsd, 0.012, 1e-9)
      const { stdout } = yield* sextant(["doctor"], { DATABASE_URL: Redacted.value(url) })
      assert.match(stdout, /^ok +settings +synchronous_commit on, search_path .*session_replication_role origin$/m)
      assert.strictEqual(yield* stopService(service), 0, service.stderr())
    }), 120_000)

  it.live("says in one sentence what it may not change, sends nothing until it is changed, then does", () =>
    Effect.gen(function*() {
      const role = `owner_${randomBytes(4).toString("hex")}`
      yield* Effect.acquireRelease(onServer(server, `create role ${role} login createrole`),
        () => Effect.ignore(onServer(server, `drop role ${role}`)))
      const { name, url } = yield* freshDatabase(server)
      yield* onServer(server, `alter database ${name} owner to ${role}`)
      yield* onServer(server, `alter role ${role} set session_replication_role = replica`)
      const own = new URL(Redacted.value(url))
      own.username = role

      const service = yield* startService({ DATABASE_URL: own.href })
      const sentence = "PostgreSQL sets session_replication_role = replica, with which outcomes would be lost or refused, "
        + "and this connection may not change it. As a superuser, run: "
      const cure = `alter role "${role}" in database "${name}" set session_replication_role = 'origin'`
      yield* awaitLog(service, sentence)
      assert.include(service.stderr().replaceAll("\\\"", "\""), cure)
      assert.strictEqual((yield* sendRequest(service, "/readyz")).status, 503)
      assert.strictEqual((yield* sendRequest(service, "/v1/recommend", question)).status, 503)
      const { code, stdout } = yield* sextant(["doctor"], { DATABASE_URL: own.href })
      assert.strictEqual(code, 1)
      assert.include(stdout, sentence + cure)

      yield* onServer(server, cure)
      yield* isReady(service)
      yield* requestJson(RecommendResponse, service, "/v1/recommend", question)
      assert.strictEqual(yield* stopService(service), 0, service.stderr())
    }), 120_000)
})
