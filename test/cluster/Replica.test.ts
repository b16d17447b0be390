import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { SavingsResponse } from "../../src/domain/reports/Report.ts"
import { onServer } from "../support/Databases.ts"
import { type Cluster, findBinaries, scopedCluster } from "../support/PostgresCluster.ts"
import { requestJson, sendRequest, type Service, sextant, startService, stopService } from "../support/Service.ts"

const binaries = findBinaries()

const askOnce = (service: Service) =>
  requestJson(RecommendResponse, service, "/v1/recommend", { task: { task: "Sort a list", task_type: "code" } })

const decisions = (service: Service) =>
  Effect.map(requestJson(SavingsResponse, service, "/v1/savings"), ({ summary }) => summary.estimated.n)

/** Reports are cached for a moment and a replica follows after one: asks until the number is there. */
const untilDecisions = (service: Service, n: number) =>
  Effect.repeat(decisions(service), {
    until: (counted) => counted === n, schedule: Schedule.spaced("100 millis"), times: 200
  })

/** Statements of reports that a server has run since its start. */
const reportsRead = (server: Cluster) =>
  Effect.map(
    onServer<{ readonly n: number }>(server.url, `select coalesce(sum(calls), 0)::int as n from pg_stat_statements
      where query like '%decision_figures%' and query not like '%pg_stat_statements%' and query like 'select%' and query not like '%figures\\_default%'`),
    ([row]) => row?.n ?? 0
  )

const watched = { settings: ["shared_preload_libraries=pg_stat_statements", "wal_level=replica"] }

describe.skipIf(binaries === null)("a service with a streaming replica", () => {
  it.live("reads reports from the replica, which alone fail while it is down", () =>
    Effect.gen(function*() {
      const primary = yield* scopedCluster(watched)
      yield* onServer(primary.url, "create extension pg_stat_statements")
      const replica = yield* scopedCluster({ ...watched, replicaOf: primary })
      assert.deepStrictEqual(yield* onServer(replica.url, "select pg_is_in_recovery() as standby"), [{ standby: true }])
      const environment = { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: replica.url }
      const service = yield* startService(environment)

      yield* askOnce(service)
      assert.strictEqual(yield* untilDecisions(service, 1), 1)
      assert.isAbove(yield* reportsRead(replica), 0)
      assert.strictEqual(yield* reportsRead(primary), 0)
      assert.match((yield* sextant(["doctor"], environment)).stdout, /^ok {3}replica +answers$/m)

      yield* Effect.promise(replica.kill)
      yield* askOnce(service)
      assert.strictEqual((yield* sendRequest(service, "/v1/savings?days=7")).status, 503)
      assert.match((yield* sextant(["doctor"], environment)).stdout, /^fail replica /m)

      yield* Effect.sync(replica.start)
      assert.strictEqual(yield* Effect.retry(untilDecisions(service, 2), Schedule.spaced("200 millis")), 2)
      assert.strictEqual(yield* stopService(service), 0)
    }), 240_000)
})
