import { partitionedTables } from "../../src/sql/LedgerTables.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { AccountBudgetResponse } from "../../src/domain/account/Budget.ts"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { migratedDatabase, onServer, postgresServer, temporaryDirectory } from "../support/Databases.ts"
import { alwaysOff, fakeClock, hasFakeTime } from "../support/FakeTime.ts"
import { findBinaries, scopedCluster } from "../support/PostgresCluster.ts"
import { awaitLog, requestJson, type Service, sextant, startService, stopService } from "../support/Service.ts"

const binaries = findBinaries()
const dayMs = 86_400_000

/** Asks for a recommendation, and again after a failure: a service that has just started may find its key's store busy. */
const recommend = (service: Service) =>
  requestJson(RecommendResponse, service, "/v1/recommend", { task: { task: "Write a function that sums a list" } }).pipe(
    Effect.retry({ times: 5, schedule: Schedule.spaced("500 millis") })
  )

const tell = (service: Service, { recommendationId, recommendedModel }: RecommendResponse, said: object = {}) =>
  requestJson(FeedbackResponse, service, "/v1/feedback", {
    recommendation_id: recommendationId, chosen_model_id: recommendedModel.modelId, outcome: "success",
    evidence_source: "gate", ...said
  })

const rows = (url: string) =>
  onServer<{ readonly id: string; readonly ageMs: number; readonly isPlaced: boolean }>(url, `
    select recommendation_id::text as id, extract(epoch from now() - created_at)::float8 * 1000 as "ageMs",
      tableoid <> 'decision_default'::regclass as "isPlaced"
    from decision order by created_at`)

/** Moves every decision of the last day that many days into the past, so that the ledger looks months old. */
const age = (url: string, days: number) =>
  Effect.gen(function*() {
    const months = yield* onServer<{ readonly name: string; readonly from: string; readonly until: string }>(url, `
      select to_char(month, 'YYYY_MM') as name, month::text as from, (month + interval '1 month')::text as until
      from (select date_trunc('month', now() at time zone 'UTC' - interval '${days} days') as month) as one`)
    for (const { from, name, until } of months) {
      for (const table of partitionedTables) {
        yield* onServer(url, `create table if not exists ${table}_${name} partition of ${table}
          for values from ('${from}+00') to ('${until}+00')`)
      }
    }
    for (const table of partitionedTables) {
      yield* onServer(url, `update ${table} set created_at = created_at - interval '${days} days'
        where created_at > now() - interval '1 day'`)
    }
  })

describe.skipIf(!hasFakeTime || postgresServer === null)("a copy whose clock is wrong, beside one whose clock is right", () => {
  it.live("deletes no data, uses the database's time, and calls no feedback late", () =>
    Effect.gen(function*() {
      const database = yield* migratedDatabase
      const url = Redacted.value(database.url)
      const right = yield* startService({ DATABASE_URL: url, SEXTANT_DATA_DIR: yield* temporaryDirectory })
      for (const days of [300, 200, 100, 0]) {
        for (let i = 0; i < 5; i++) yield* recommend(right)
        if (days > 0) yield* age(url, days)
      }
      for (const [turn, offset] of ["+450d", "-450d"].entries()) {
        const wrong = yield* startService({
          DATABASE_URL: url, SEXTANT_DATA_DIR: yield* temporaryDirectory, ...alwaysOff(offset)
        })
        yield* awaitLog(wrong, /clock is wrong.*\n?.*(secondsAhead|secondsBehind)/)
        const ofWrong = yield* recommend(wrong)
        const ofRight = yield* recommend(right)
        for (const [service, advice] of [[right, ofWrong], [wrong, ofRight]] as const) {
          const answer = yield* tell(service, advice)
          assert.deepStrictEqual({ accepted: answer.accepted, warnings: answer.warnings }, { accepted: true, warnings: [] })
        }
        const command = yield* sextant(["retention"], { DATABASE_URL: url, ...alwaysOff(offset) })
        assert.strictEqual(command.code, 0, command.stderr)
        assert.match(command.stdout, /nothing is past its retention/)
        const kept = yield* rows(url)
        assert.lengthOf(kept, 22 + 2 * turn)
        assert.isTrue(kept.every(({ isPlaced }) => isPlaced))
        const young = kept.filter(({ id }) => id === ofWrong.recommendationId || id === ofRight.recommendationId)
        assert.lengthOf(young, 2)
        for (const { ageMs } of young) assert.isBelow(Math.abs(ageMs), dayMs)
        yield* stopService(wrong)
      }
    }), 240_000)
})

describe.skipIf(!hasFakeTime || postgresServer === null)("a command on a machine whose clock is wrong", () => {
  for (const offset of ["+2d", "-2d"]) {
    it.live(`gives a key the end that its duration says by the database's clock, at ${offset}`, () =>
      Effect.gen(function*() {
        const url = Redacted.value((yield* migratedDatabase).url)
        const wrong = { DATABASE_URL: url, ...alwaysOff(offset) }
        const made = yield* sextant(["keys", "create", "--instance", "acme", "--expires", "12h"], wrong)
        assert.strictEqual(made.code, 0, made.stderr)
        const [key] = yield* onServer<{ readonly lifeHours: number; readonly ageHours: number }>(url, `
          select extract(epoch from expires_at - now())::float8 / 3600 as "lifeHours",
            extract(epoch from now() - created_at)::float8 / 3600 as "ageHours" from api_key`)
        assert.closeTo(key?.lifeHours ?? NaN, 12, 0.1)
        assert.closeTo(key?.ageHours ?? NaN, 0, 0.1)
        assert.match((yield* sextant(["keys", "list"], wrong)).stdout, /live/)
      }), 120_000)
  }
})

/** A PostgreSQL and the environment of a service on the same machine; `set` changes the clock of both. */
const machine = Effect.gen(function*() {
  const { environment, set } = yield* fakeClock
  const cluster = yield* scopedCluster({ environment })
  return { cluster, set, all: { ...environment, DATABASE_URL: cluster.url, SEXTANT_DATA_DIR: yield* temporaryDirectory } }
})

describe.skipIf(!hasFakeTime || binaries === null)("a service on one machine with its PostgreSQL", () => {
  it.live("loses nothing when the machine's clock jumps 450 days ahead and back", () =>
    Effect.gen(function*() {
      const { all, cluster, set } = yield* machine
      const retention = (...flags: ReadonlyArray<string>) => sextant(["retention", ...flags], all)
      const service = yield* startService(all)
      const before = [yield* recommend(service), yield* recommend(service)]
      assert.strictEqual((yield* retention()).code, 0)
      const count = Effect.map(rows(cluster.url), (found) => found.length)

      yield* set("+450d")
      const stale = yield* retention()
      assert.strictEqual(stale.code, 1)
      assert.match(stale.stderr, /no decision or outcome is of the 35 days before/)
      const doctor = yield* sextant(["doctor"], all)
      assert.match(doctor.stdout, /warn\s+retention\s+refused/)
      // The service goes on. The first answer makes it notice the jump, and later answers have the new date.
      before.push(yield* recommend(service))
      yield* Effect.sleep("3 seconds")
      before.push(yield* recommend(service))
      assert.strictEqual(yield* count, 4)

      yield* set("+0")
      yield* recommend(service)
      yield* Effect.sleep("3 seconds")
      const after = yield* recommend(service)
      assert.isTrue((yield* tell(service, after)).accepted)
      const back = yield* retention()
      assert.strictEqual(back.code, 0, back.stderr)
      assert.match(back.stdout, /nothing is past its retention/)
      assert.strictEqual(yield* count, 6)
      for (const advice of before) assert.isTrue((yield* tell(service, advice)).accepted)
    }), 240_000)

  it.live("has the same spending of a period after the machine's clock was 45 days ahead, and behind", () =>
    Effect.gen(function*() {
      const { all, set } = yield* machine
      const service = yield* startService(all)
      assert.strictEqual((yield* sextant(["account", "set", "--instance", "acme", "--budget", "10/month"], all)).code, 0)
      const budget = requestJson(AccountBudgetResponse, service, "/v1/account/budget")
      const spent = (usd: number, isPeriod: (start: string) => boolean) =>
        Effect.repeat(budget, {
          until: ({ periodStart, spentUsd }) =>
            periodStart !== null && isPeriod(periodStart) && Math.abs((spentUsd ?? NaN) - usd) < 1e-6,
          schedule: Schedule.spaced("200 millis")
        }).pipe(Effect.timeoutOrElse({
          duration: "40 seconds",
          orElse: () => Effect.flatMap(budget, (found) => Effect.die(`not ${usd} USD: ${JSON.stringify(found)}`))
        }))
      const spend = Effect.flatMap(recommend(service), (advice) => tell(service, advice, { actual_cost_usd: 0.02 }))
      const real = (yield* Effect.repeat(budget, {
        until: ({ periodStart }) => periodStart !== null, schedule: Schedule.spaced("200 millis")
      })).periodStart
      for (let i = 0; i < 3; i++) yield* spend
      yield* spent(0.06, (start) => start === real)
      for (const [offset, isOff] of [
        ["+45d", (start: string) => start > String(real)], ["-45d", (start: string) => start < String(real)]
      ] as const) {
        yield* set(offset)
        yield* Effect.repeat(budget, {
          until: ({ periodStart }) => periodStart !== null && isOff(periodStart), schedule: Schedule.spaced("200 millis")
        })
        yield* spend
        yield* spent(0.02, isOff)
        yield* set("+0")
        yield* spent(0.06, (start) => start === real)
      }
    }), 240_000)
})
