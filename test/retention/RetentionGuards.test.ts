import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { retentionCheck } from "../../src/cli/doctor/RetentionChecks.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { dayMs } from "../../src/domain/Time.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../src/ledger/sql/LedgerSql.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { DatabaseNow } from "../../src/sql/DatabaseNow.ts"
import { monthlyPartitions, monthStart } from "../../src/sql/MonthlyPartitions.ts"
import { keepSweeping, prepareMonths, purge } from "../../src/retention/Retention.ts"
import { afterLook, refusalOf } from "../../src/retention/RetentionGuards.ts"
import { decision } from "../support/builders.ts"
import { onEachEngine, slow } from "../support/Databases.ts"

const acme = AccountId.make("acme")

/** Has the effect see the database's clock that many days ahead. */
const ahead = (days: number) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    Effect.provideService(effect, DatabaseNow, Effect.succeed(new Date(nowMs + days * dayMs))))

/** A ledger without decisions, and a retention that has never run. */
const fresh = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["decision", "decision_figures", "retention_state"]) yield* sql`truncate ${sql(table)}`
  for (const table of ["decision", "decision_figures"]) {
    for (const { name } of yield* monthlyPartitions(table)) yield* sql`drop table ${sql(name)}`
  }
  yield* prepareMonths
})

/** The partitions of that many months ago, as time would have left them. */
const oldPartitions = Effect.fnUntraced(function*(monthsAgo: number) {
  const sql = yield* SqlClient.SqlClient
  const nowMs = yield* Clock.currentTimeMillis
  const [from, until] = [monthStart(nowMs, -monthsAgo), monthStart(nowMs, 1 - monthsAgo)]
  const month = from.toISOString().slice(0, 7).replace("-", "_")
  for (const table of ["decision", "decision_figures"]) {
    yield* sql`create table if not exists ${sql(`${table}_${month}`)} partition of ${sql(table)}
      for values from (${sql.literal(`'${from.toISOString()}'`)}) to (${sql.literal(`'${until.toISOString()}'`)})`
  }
  return { month, at: from.getTime() + 10 * dayMs }
})

/** A decision of that time, recorded then too unless `isLate`. */
const decided = Effect.fnUntraced(function*(at: number, isLate = false) {
  const sql = yield* SqlClient.SqlClient
  const recommendationId = RecommendationId.make(at)
  yield* (yield* Ledger).record([decision({ accountId: acme, recommendationId, createdAt: new Date(at) })])
  if (!isLate) {
    yield* sql`update decision set recorded_at = ${new Date(at)} where account_id = ${acme}
      and recommendation_id = ${recommendationId}::uuid`.pipe(withAccount(acme))
  }
  return recommendationId
})

const count = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly n: number }>`select count(*)::int as n from decision where account_id = ${acme}`,
    ([row]) => row?.n).pipe(withAccount(acme)))

const sweep = purge({ days: 400, isDry: false })
const forced = purge({ days: 400, isDry: false, isForced: true })
const purged = (report: Effect.Success<typeof sweep>) => report?.purged.map(({ table }) => table)

describe("retention's guards", () => {
  const now = new Date("2026-11-22T12:00:00Z")
  const days = (count: number) => new Date(now.getTime() + count * dayMs)
  const calm = { seenAt: days(-1), jumpedAt: null }

  it("refuse to drop anything 36 days after the newest decision, and not 34 days after it", () => {
    assert.isNull(refusalOf(now, days(-34), calm))
    assert.match(refusalOf(now, days(-36), calm) ?? "", /newest decision is of/)
  })

  it("refuse for 35 days after a step of the clock, however fresh the newest decision is", () => {
    const jumped = afterLook({ seenAt: days(-450), jumpedAt: null }, now)
    assert.deepStrictEqual(jumped, { seenAt: now, jumpedAt: now })
    assert.match(refusalOf(now, days(-1), { seenAt: days(-450), jumpedAt: null }) ?? "", /made a step/)
    assert.match(refusalOf(now, days(-1), { seenAt: days(-1), jumpedAt: days(-34) }) ?? "", /made a step/)
    assert.isNull(refusalOf(now, days(-1), { seenAt: days(-1), jumpedAt: days(-36) }))
  })

  it("forget a step into the future that was taken back", () => {
    assert.deepStrictEqual(afterLook({ seenAt: days(450), jumpedAt: days(440) }, now), { seenAt: now, jumpedAt: null })
  })

  it.effect("come an hour after the start at the earliest, while months are made at once", () =>
    Effect.scoped(Effect.gen(function*() {
      const done: Array<string> = []
      const act = (name: string) => Effect.sync(() => {
        done.push(name)
        return false
      })
      yield* keepSweeping(act("prepare"), act("sweep"))
      yield* TestClock.adjust("59 minutes")
      assert.deepStrictEqual(done, ["prepare"])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(done, ["prepare", "sweep"])
      yield* TestClock.adjust("8 hours")
      assert.isAtLeast(done.length, 3)
    })))
})

describe("a ledger whose clock is wrong", () =>
  onEachEngine((name, engine) =>
    layer(LedgerSql.layer.pipe(Layer.provideMerge(engine)), slow)(name, (it) => {
      it.effect("keeps every decision of the last year when the clock stands 450 days ahead", () =>
        Effect.gen(function*() {
          yield* fresh
          for (let months = 0; months < 12; months++) yield* decided((yield* oldPartitions(months)).at)
          const report = yield* ahead(450)(sweep)
          assert.match(report?.refusal ?? "", /newest decision is of/)
          assert.strictEqual(yield* count, 12)
          const [finding] = yield* ahead(450)(retentionCheck(400))
          assert.strictEqual(finding?.state, "warn")
        }))

      it.effect("keeps a young ledger too, however many decisions the wrong clock has dated", () =>
        Effect.gen(function*() {
          yield* fresh
          const nowMs = yield* Clock.currentTimeMillis
          yield* decided(nowMs)
          assert.isNull((yield* sweep)?.refusal ?? null)
          // It jumps, and a day of decisions comes with it: none of the two other guards would see it.
          yield* decided(nowMs + 449 * dayMs)
          assert.match((yield* ahead(450)(sweep))?.refusal ?? "", /made a step/)
          assert.match((yield* ahead(452)(sweep))?.refusal ?? "", /made a step/)
          assert.strictEqual(yield* count, 2)
          // Put right again, it is believed again.
          assert.isNull((yield* sweep)?.refusal ?? null)
          assert.strictEqual(yield* count, 2)
        }))

      it.effect("is not made believe a stale clock by a decision of the future", () =>
        Effect.gen(function*() {
          yield* fresh
          const nowMs = yield* Clock.currentTimeMillis
          yield* decided((yield* oldPartitions(15)).at)
          yield* decided((yield* oldPartitions(3)).at)
          yield* decided(nowMs + 450 * dayMs)
          assert.match((yield* sweep)?.refusal ?? "", /newest decision is of/)
          assert.strictEqual(yield* count, 3)
        }))

      it.effect("drops months past their time when it is forced, and never the newest decision's", () =>
        Effect.gen(function*() {
          yield* fresh
          const olds = []
          for (const months of [18, 17, 16, 15]) {
            const old = yield* oldPartitions(months)
            olds.push(old.month)
            yield* decided(old.at)
          }
          assert.match((yield* sweep)?.refusal ?? "", /newest decision is of/)
          assert.strictEqual(yield* count, 4)
          assert.deepStrictEqual(purged(yield* forced),
            olds.slice(0, 3).flatMap((month) => [`decision_${month}`, `decision_figures_${month}`]))
          assert.strictEqual(yield* count, 1)
          yield* ahead(30)(forced)
          assert.strictEqual(yield* count, 1)
          assert.include((yield* monthlyPartitions("decision")).map(({ month }) => month), olds[3])
        }))

      it.effect("keeps the newest decision when it is forced, though it lies in no month's partition", () =>
        Effect.gen(function*() {
          yield* fresh
          const nowMs = yield* Clock.currentTimeMillis
          const newest = yield* decided(nowMs - 900 * dayMs)
          yield* decided(nowMs - 1_000 * dayMs)
          assert.deepStrictEqual(purged(yield* forced), ["decision"])
          assert.strictEqual((yield* (yield* Ledger).find(acme, newest))?.recommendationId, newest)
          assert.strictEqual(yield* count, 1)
        }))

      it.effect("keeps what a copy whose clock is behind has just recorded, with and without a partition", () =>
        Effect.gen(function*() {
          yield* fresh
          yield* decided((yield* oldPartitions(15)).at, true)
          yield* decided((yield* Clock.currentTimeMillis) - 900 * dayMs, true)
          yield* decided(yield* Clock.currentTimeMillis)
          assert.deepStrictEqual(purged(yield* forced), [])
          assert.strictEqual(yield* count, 3)
        }))
    })))
