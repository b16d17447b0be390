import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { StrategiesResponse } from "../../src/domain/Lesson.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { SavingsResponse } from "../../src/domain/reports/Report.ts"
import { freshDatabase, postgresServer } from "../support/Databases.ts"
import { awaitLog, requestJson, sendRequest, sextant, startService, stopService } from "../support/Service.ts"

const as = (url: string, role: string) => {
  const own = new URL(url)
  own.username = role
  return own.href
}

/** Statements in one transaction; yields the rows of the last. */
const query = (url: string, ...statements: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    let rows: ReadonlyArray<object> = []
    for (const statement of statements) rows = yield* sql.unsafe<object>(statement)
    return rows
  }).pipe(
    (work) => Effect.flatMap(PgClient.PgClient, (sql) => sql.withTransaction(work)),
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
  )

/** A database with an owner that is no superuser, and a role that can do nothing yet; all go with the scope. */
const ownedDatabase = Effect.fnUntraced(function*(server: string) {
  const suffix = randomBytes(4).toString("hex")
  const [owner, lesser] = [`owner_${suffix}`, `lesser_${suffix}`]
  yield* Effect.acquireRelease(
    query(server, `create role ${owner} login createrole`, `create role ${lesser} login`),
    () => Effect.ignore(query(server, `drop role if exists ${lesser}`, `drop role if exists ${owner}`))
  )
  const { name, url } = yield* freshDatabase(server)
  yield* query(server, `alter database ${name} owner to ${owner}`)
  yield* query(Redacted.value(url), `grant all on schema public to ${owner}`)
  return { owner: as(Redacted.value(url), owner), lesser: as(Redacted.value(url), lesser), lesserRole: lesser }
})

describe.skipIf(postgresServer === null)("a service that runs as a role with few rights", () => {
  it.live("is ready only on a schema that the owner created, does its work, and cannot change that", () =>
    Effect.gen(function*() {
      const { lesser, lesserRole, owner } = yield* ownedDatabase(postgresServer ?? "")
      const asOwner = { DATABASE_URL: owner }
      const asLesser = { DATABASE_URL: lesser, SEXTANT_MIGRATE: "off" }

      // Without its schema the service lives, and is not ready. It has keys to register once it has its rights.
      const early = yield* startService(asLesser)
      assert.strictEqual((yield* sendRequest(early, "/livez")).status, 200)
      const { status, text } = yield* sendRequest(early, "/readyz")
      assert.strictEqual(status, 503)
      assert.include(text, "The service is starting")
      yield* awaitLog(early, "run `sextant migrate`")

      const unknown = yield* sextant(["migrate", "--service-role", "nobody_at_all"], asOwner)
      assert.notStrictEqual(unknown.code, 0)
      assert.include(unknown.stderr, "There is no role nobody_at_all")
      const made = yield* sextant(["migrate", "--service-role", lesserRole], asOwner)
      assert.strictEqual(made.code, 0, made.stderr)
      assert.include(made.stdout, `${lesserRole} may run the service`)
      assert.include((yield* sextant(["migrate"], asOwner)).stdout, "up to date")

      const ready = yield* Effect.repeat(sendRequest(early, "/readyz"), {
        until: ({ status }) => status === 200, schedule: Schedule.spaced("100 millis"), times: 100
      })
      assert.strictEqual(ready.status, 200)
      assert.strictEqual(yield* stopService(early), 0)
      const service = yield* startService(asLesser)

      const doctor = yield* sextant(["doctor"], asLesser)
      assert.strictEqual(doctor.code, 0, doctor.stdout)
      assert.match(doctor.stdout, /^ok {3}roles +lesser_/m)
      assert.match((yield* sextant(["doctor"], { ...asLesser, SEXTANT_MIGRATE: "on" })).stdout, /^warn roles/m)

      // A lane is reflected on every 25 outcomes. The service's role finds such lanes across accounts.
      for (let i = 0; i < 25; i++) {
        const { recommendationId, recommendedModel } = yield* requestJson(RecommendResponse, service, "/v1/recommend", {
          task: { task: `Fix failing unit test ${i}`, task_type: "code" }
        })
        const { accepted, warnings } = yield* requestJson(FeedbackResponse, service, "/v1/feedback", {
          recommendation_id: recommendationId, chosen_model_id: recommendedModel.modelId, outcome: "success",
          evidence_source: "gate", step_outcomes: [{ step_id: "one", outcome: "success" }]
        })
        assert.deepStrictEqual([accepted, warnings], [true, []])
      }
      assert.strictEqual((yield* requestJson(SavingsResponse, service, "/v1/savings")).summary.realized.nReconciled, 0)
      const strategies = requestJson(StrategiesResponse, service, "/v1/strategies").pipe(
        Effect.map((answer) => answer.strategies.map(({ strategyId }) => strategyId)),
        Effect.repeat({ until: (ids) => ids.length > 0, schedule: Schedule.spaced("100 millis"), times: 200 })
      )
      assert.isAbove((yield* strategies).length, 0)

      // Another process changes the account's settings.
      const set = yield* sextant(
        ["account", "set", "--instance", "acme", "--selection-policy", "epsilon_softmax"], asLesser
      )
      assert.strictEqual(set.code, 0, set.stderr)
      const policy = yield* Effect.repeat(
        Effect.map(
          requestJson(RecommendResponse, service, "/v1/recommend", { task: { task: "Sort a list" } }),
          ({ selectionPolicy }) => selectionPolicy
        ),
        { until: (each) => each === "epsilon_softmax", schedule: Schedule.spaced("200 millis"), times: 60 }
      )
      assert.strictEqual(policy, "epsilon_softmax")

      for (const statement of ["drop table decision", "alter table api_key disable row level security",
        "create table mine (a int)", "update sextant_migration set name = 'x'", "delete from api_key"]) {
        assert.strictEqual((yield* Effect.flip(query(lesser, statement)))._tag, "SqlError", statement)
      }
      assert.deepStrictEqual(yield* query(lesser, "select 1 from decision"), [])
      assert.deepStrictEqual(yield* query(owner, "select 1 from decision"), [])
      assert.strictEqual((yield* sextant(["retention"], asLesser)).code, 1)
      assert.strictEqual(yield* stopService(service), 0)
    }), 240_000)

  it.live("has its old data purged by the owner", () =>
    Effect.gen(function*() {
      const { lesser, lesserRole, owner } = yield* ownedDatabase(postgresServer ?? "")
      assert.strictEqual((yield* sextant(["migrate", "--service-role", lesserRole], { DATABASE_URL: owner })).code, 0)
      for (const [account, days] of [["acme", 500], ["acme", 1], ["umbrella", 900]]) {
        yield* query(lesser, `select set_config('app.account', '${account}', true)`,
          `insert into report (account_id, revision, recommendation_id, idempotency_key, fingerprint, reported_at, body, response)
          values ('${account}', ${days}, gen_random_uuid(), 'k${days}', 'f', now() - interval '${days} days', '{}', '{}')`)
      }
      const dry = yield* sextant(["retention", "--dry-run"], { DATABASE_URL: owner })
      const done = yield* sextant(["retention"], { DATABASE_URL: owner })
      const again = yield* sextant(["retention"], { DATABASE_URL: owner })
      assert.strictEqual(dry.stdout, "report\tacme\t1 rows\twould be deleted\nreport\tumbrella\t1 rows\twould be deleted\n")
      assert.strictEqual(done.stdout, dry.stdout.replaceAll("would be deleted", "deleted"))
      assert.strictEqual(again.stdout, "nothing is past its retention\n")
      const left = yield* query(lesser, "select set_config('app.account', 'acme', true)",
        "select idempotency_key as key from report")
      assert.deepStrictEqual(left, [{ key: "k1" }])
      const short = yield* sextant(["retention", "--days", "7"], { DATABASE_URL: owner })
      assert.strictEqual(short.code, 1)
      assert.include(short.stderr, "at least 30 days")
    }), 120_000)
})
