import { partitionedTables } from "../../src/sql/LedgerTables.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { retention as retentionCheck } from "../../src/cli/doctor/DatabaseChecks.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { dayMs } from "../../src/domain/Time.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../src/ledger/sql/LedgerSql.ts"
import { acrossAccounts, withAccount } from "../../src/sql/AccountScope.ts"
import { DatabaseNow } from "../../src/sql/DatabaseNow.ts"
import { monthlyPartitions } from "../../src/sql/MonthlyPartitions.ts"
import { keepSweeping, prepareMonths, purge } from "../../src/retention/Retention.ts"
import { decision } from "../support/builders.ts"
import { onOneEngine, slow } from "../support/Databases.ts"

const acme = AccountId.make("acme")
const umbrella = AccountId.make("umbrella")

const kept = { days: 400, textDays: 400 }

const monthOf = (date: Date) => date.toISOString().slice(0, 7).replace("-", "_")

/** The partition of a month long gone, as time would have left it. */
const oldPartition = Effect.fnUntraced(function*(date: Date) {
  const sql = yield* SqlClient.SqlClient
  const [from, until] = [0, 1].map((months) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)).toISOString())
  for (const table of partitionedTables) {
    yield* sql`create table ${sql(`${table}_${monthOf(date)}`)} partition of ${sql(table)}
      for values from (${sql.literal(`'${from}'`)}) to (${sql.literal(`'${until}'`)})`
  }
})

const recordWithFeedback = Effect.fnUntraced(function*(accountId: AccountId, ageDays: number) {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  const at = (yield* Clock.currentTimeMillis) - ageDays * dayMs
  const recommendationId = RecommendationId.make(at)
  yield* ledger.record([decision({ accountId, recommendationId, createdAt: new Date(at) })])
  const when = new Date(at)
  yield* Effect.gen(function*() {
    yield* sql`insert into report (account_id, revision, recommendation_id, idempotency_key, fingerprint, reported_at,
        body, response)
      values (${accountId}, ${at}, ${recommendationId}::uuid, ${recommendationId}, 'f', ${when}, '{}', '{}')`
    yield* sql`insert into step_reward (account_id, lane, recommendation_id, step_id, cluster, model_id, outcome,
        signal, occurred_at)
      values (${accountId}, 'sextant:default', ${recommendationId}, 's', 'code:easy', 'm', 'success', 1, ${when})`
  }).pipe(withAccount(accountId))
  return recommendationId
})

const tables = ["decision", "decision_figures", "report", "step_reward"]

const counts = (accountId: AccountId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(tables, (table) =>
      Effect.map(sql<{ readonly n: number }>`select count(*)::int as n from ${sql(table)}
        where account_id = ${accountId}`, ([row]) => row?.n)).pipe(withAccount(accountId)))

describe("retention", () =>
  onOneEngine((name, engine) =>
    layer(engine, slow)(name, (it) => {
      it.effect("drops whole months past their time with all that belongs to them, and nothing younger", () =>
        Effect.gen(function*() {
          const nowMs = yield* Clock.currentTimeMillis
          const old = new Date(nowMs - 460 * dayMs)
          yield* oldPartition(old)
          yield* recordWithFeedback(acme, 460)
          // Without a partition of its own: it lies in the default one.
          yield* recordWithFeedback(acme, 900)
          yield* recordWithFeedback(umbrella, 900)
          yield* recordWithFeedback(acme, 399)
          yield* recordWithFeedback(umbrella, 0)
          assert.deepStrictEqual(yield* counts(acme), [3, 3, 3, 3])

          const dry = (yield* purge({ ...kept, isDry: true }))?.purged ?? []
          assert.deepStrictEqual(yield* counts(acme), [3, 3, 3, 3])
          const gone = (yield* purge({ ...kept, isDry: false }))?.purged ?? []
          assert.deepStrictEqual(gone.map(({ accountId, table }) => [table, accountId]),
            dry.map(({ accountId, table }) => [table, accountId]))
          assert.includeDeepMembers(gone.map(({ accountId, table }) => [table, accountId]), [
            [`decision_${monthOf(old)}`, null], [`decision_figures_${monthOf(old)}`, null],
            ["decision", "acme"], ["decision", "umbrella"], ["report", "acme"]
          ])
          assert.deepStrictEqual(yield* counts(acme), [1, 1, 1, 1])
          assert.deepStrictEqual(yield* counts(umbrella), [1, 1, 1, 1])
          const left = (yield* monthlyPartitions("decision")).map((each) => each.name)
          assert.notInclude(left, `decision_${monthOf(old)}`)
          assert.deepStrictEqual((yield* purge({ ...kept, isDry: false }))?.purged, [])
        }).pipe(Effect.provide(LedgerSql.layer)))

      it.effect("refuses to keep less than thirty days", () =>
        Effect.gen(function*() {
          for (const short of [{ days: 29 }, { textDays: 29 }, { days: 0 }, { days: -1 }, { days: NaN }]) {
            const refused = yield* Effect.flip(purge({ ...kept, ...short, isDry: false }))
            assert.strictEqual(refused._tag, "RetentionTooShort")
          }
        }))

      it.effect("shows an account no rows of others, whatever it sets", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* recordWithFeedback(acme, 0)
          const seen = sql`select 1 from decision`
          const across = (role: string) =>
            Effect.andThen(sql`select set_config('role', ${role}, true)`, acrossAccounts).pipe(
              Effect.andThen(seen), sql.withTransaction)
          assert.deepStrictEqual(yield* across("sextant_app"), [])
          assert.isNotEmpty(yield* across("none"))
        }).pipe(Effect.provide(LedgerSql.layer)))

      it.effect("removes texts past their time, whose rows stay, and no younger ones", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const nowMs = yield* Clock.currentTimeMillis
          const initech = AccountId.make("initech")
          for (const [ageDays, name] of [[100, "old"], [59, "young"]] as const) {
            yield* recordWithFeedback(initech, ageDays)
            const at = new Date(nowMs - ageDays * dayMs)
            yield* Effect.gen(function*() {
              yield* sql`update step_reward set rationale = ${name}
                where account_id = ${initech} and rationale is null`
              yield* sql`insert into observation_text (account_id, lane, observation_id, task, kept_at)
                values (${initech}, 'sextant:default', gen_random_uuid(), ${name}, ${at})`
              for (const lessonType of ["failure", "success"]) {
                yield* sql`insert into lesson (account_id, lane, lesson_id, lesson_type, scope, content, cluster,
                    model_id, error_headline, importance, base_confidence, confidence, occurred_at)
                  values (${initech}, 'sextant:default', ${`${name} ${lessonType}`}, ${lessonType}, 'run', ${name},
                    'code:easy', 'm', ${name}, 1, 1, 1, ${at})`
              }
            }).pipe(withAccount(initech))
          }
          const before = yield* counts(initech)
          const figures = sql`select xmin::text as written from decision_figures order by created_at`
            .pipe(withAccount(initech))
          const written = yield* figures
          const { purged, refusal } = (yield* purge({ days: 400, textDays: 60, isDry: false })) ?? {}
          assert.strictEqual(refusal, null)
          assert.deepStrictEqual(
            purged?.filter(({ accountId }) => accountId === initech).map(({ fate, rows, table }) => [table, rows, fate]),
            [
              ["decision", 1, "emptied of text"], ["observation_text", 1, "deleted"],
              ["step_reward", 1, "emptied of text"], ["lesson", 1, "deleted"]
            ]
          )
          assert.deepStrictEqual(yield* counts(initech), before)
          assert.deepStrictEqual(yield* figures, written, "no trigger writes figures that stay as they are")
          const left = yield* sql`select
              (select json_agg(task_excerpt <> '' order by created_at) from decision) as excerpts,
              (select json_agg(rationale order by occurred_at) from step_reward) as rationales,
              (select json_agg(task) from observation_text) as tasks,
              (select json_agg(lesson_id order by lesson_id) from lesson) as lessons`.pipe(withAccount(initech))
          assert.deepStrictEqual(left, [{
            excerpts: [false, true], rationales: [null, "young"], tasks: ["young"],
            lessons: ["old success", "young failure", "young success"]
          }])
        }).pipe(Effect.provide(LedgerSql.layer)))
    })))

it.effect("a service sweeps an hour after its start at the earliest, while months are made at once", () =>
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

/** Has the effect see the database's clock that many days ahead. */
const ahead = (days: number) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    Effect.provideService(effect, DatabaseNow, Effect.succeed(new Date(nowMs + days * dayMs))))

/** A ledger without decisions. */
const fresh = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (const table of partitionedTables) {
    yield* sql`truncate ${sql(table)}`
    for (const { name } of yield* monthlyPartitions(table)) yield* sql`drop table ${sql(name)}`
  }
  yield* prepareMonths
})

describe("a ledger whose clock may be wrong", () =>
  onOneEngine((name, engine) =>
    layer(LedgerSql.layer.pipe(Layer.provideMerge(engine)), slow)(name, (it) => {
      it.effect("keeps every decision when the clock stands 450 days ahead, and says why", () =>
        Effect.gen(function*() {
          yield* fresh
          for (const ageDays of [300, 200, 100, 0]) yield* recordWithFeedback(acme, ageDays)
          const report = yield* ahead(450)(purge({ ...kept, isDry: false }))
          assert.match(report?.refusal ?? "", /^the database's clock says .*, and no decision or outcome is of the 35 days before$/)
          assert.strictEqual((yield* counts(acme))[0], 4)
          const [finding] = yield* ahead(450)(retentionCheck(kept))
          assert.strictEqual(finding?.state, "warn")
          assert.isNull((yield* purge({ ...kept, isDry: false }))?.refusal ?? null)
        }))

      it.effect("refuses 36 days after the newest decision, and not 34 days after it", () =>
        Effect.gen(function*() {
          yield* fresh
          yield* recordWithFeedback(acme, 900)
          yield* recordWithFeedback(acme, 0)
          const dry = purge({ ...kept, isDry: true })
          assert.isNotNull((yield* ahead(36)(dry))?.refusal ?? null)
          assert.isNull((yield* ahead(34)(dry))?.refusal ?? null)
        }))

      it.effect("counts the outcomes of a memory that has no decisions", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* fresh
          const nowMs = yield* Clock.currentTimeMillis
          const put = (ageDays: number) =>
            sql`insert into observation (account_id, lane, observation_id, version, teaches, task_type, difficulty,
                cluster, tags, model_id, outcome, quality, provenance, provenance_weight, occurred_at)
              values (${acme}, 'sextant:default', gen_random_uuid(), 1, false, 'code', 'easy', 'code:easy', '{}', 'm',
                'success', 1, 'none', 0, ${new Date(nowMs - ageDays * dayMs)})`
          yield* Effect.andThen(put(0), put(900)).pipe(withAccount(acme))
          const report = yield* ahead(450)(purge({ ...kept, isDry: false }))
          assert.match(report?.refusal ?? "", /no decision or outcome is of the 35 days before$/)
          const left = yield* sql`select from observation`.pipe(withAccount(acme))
          assert.strictEqual(left.length, 2)
          const now = yield* purge({ ...kept, isDry: false })
          assert.deepStrictEqual([now?.refusal, now?.purged.find(({ table }) => table === "observation")?.rows], [null, 1])
          yield* sql`delete from observation`.pipe(withAccount(acme))
        }))

      it.effect("is not made believe a stale clock by a decision of the future", () =>
        Effect.gen(function*() {
          yield* fresh
          for (const ageDays of [900, 100, -450]) yield* recordWithFeedback(acme, ageDays)
          assert.isNotNull((yield* purge({ ...kept, isDry: false }))?.refusal ?? null)
          assert.strictEqual((yield* counts(acme))[0], 3)
        }))

      it.effect("drops what is past its time when it is forced", () =>
        Effect.gen(function*() {
          yield* fresh
          for (const ageDays of [900, 100]) yield* recordWithFeedback(acme, ageDays)
          assert.isNotNull((yield* purge({ ...kept, isDry: false }))?.refusal ?? null)
          assert.isNull((yield* purge({ ...kept, isDry: false, isForced: true }))?.refusal ?? null)
          assert.strictEqual((yield* counts(acme))[0], 1)
        }))
    })))
