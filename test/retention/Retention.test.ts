import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { dayMs } from "../../src/domain/Time.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../src/ledger/sql/LedgerSql.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { monthlyPartitions } from "../../src/sql/MonthlyPartitions.ts"
import { purge } from "../../src/retention/Retention.ts"
import { decision } from "../support/builders.ts"
import { onEachEngine, slow } from "../support/Databases.ts"

const acme = AccountId.make("acme")
const umbrella = AccountId.make("umbrella")

const monthOf = (date: Date) => date.toISOString().slice(0, 7).replace("-", "_")

/** The partition of a month long gone, as time would have left it. */
const oldPartition = Effect.fnUntraced(function*(date: Date) {
  const sql = yield* SqlClient.SqlClient
  const [from, until] = [0, 1].map((months) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)).toISOString())
  for (const table of ["decision", "decision_figures"]) {
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
    yield* sql`update decision set recorded_at = ${when} where account_id = ${accountId}
      and recommendation_id = ${recommendationId}::uuid`
    yield* sql`insert into feedback_key (account_id, idempotency_key, fingerprint, created_at)
      values (${accountId}, ${recommendationId}, 'f', ${when})`
    yield* sql`insert into step_reward (account_id, lane, recommendation_id, step_id, cluster, model_id, outcome,
        signal, occurred_at)
      values (${accountId}, 'sextant:default', ${recommendationId}, 's', 'code:easy', 'm', 'success', 1, ${when})`
    yield* sql`insert into reinforcement (account_id, lane, reinforcement_id, told_at)
      values (${accountId}, 'sextant:default', ${recommendationId}::uuid, ${when})`
  }).pipe(withAccount(accountId))
  return recommendationId
})

const tables = ["decision", "decision_figures", "feedback_key", "step_reward", "reinforcement"]

const counts = (accountId: AccountId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(tables, (table) =>
      Effect.map(sql<{ readonly n: number }>`select count(*)::int as n from ${sql(table)}
        where account_id = ${accountId}`, ([row]) => row?.n)).pipe(withAccount(accountId)))

describe("retention", () =>
  onEachEngine((name, engine) =>
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
          assert.deepStrictEqual(yield* counts(acme), [3, 3, 3, 3, 3])

          const dry = (yield* purge({ days: 400, isDry: true }))?.purged ?? []
          assert.deepStrictEqual(yield* counts(acme), [3, 3, 3, 3, 3])
          const gone = (yield* purge({ days: 400, isDry: false }))?.purged ?? []
          assert.deepStrictEqual(gone.map(({ accountId, table }) => [table, accountId]),
            dry.map(({ accountId, table }) => [table, accountId]))
          assert.includeDeepMembers(gone.map(({ accountId, table }) => [table, accountId]), [
            [`decision_${monthOf(old)}`, null], [`decision_figures_${monthOf(old)}`, null],
            ["decision", "acme"], ["decision", "umbrella"], ["feedback_key", "acme"]
          ])
          assert.deepStrictEqual(yield* counts(acme), [1, 1, 1, 1, 1])
          assert.deepStrictEqual(yield* counts(umbrella), [1, 1, 1, 1, 1])
          const left = (yield* monthlyPartitions("decision")).map((each) => each.name)
          assert.notInclude(left, `decision_${monthOf(old)}`)
          assert.deepStrictEqual((yield* purge({ days: 400, isDry: false }))?.purged, [])
        }).pipe(Effect.provide(LedgerSql.layer)))

      it.effect("refuses to keep less than thirty days", () =>
        Effect.gen(function*() {
          for (const days of [29, 0, -1, NaN]) {
            const refused = yield* Effect.flip(purge({ days, isDry: false }))
            assert.strictEqual(refused._tag, "RetentionTooShort")
          }
        }))

      it.effect("shows an account no rows of others; a purge shows the owner only the old ones", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* recordWithFeedback(acme, 0)
          const [policy] = yield* sql<{ readonly qual: string }>`select qual from pg_policies
            where tablename = 'decision' and policyname = 'old_to_owner'`
          assert.match(policy?.qual ?? "", /app\.retention.*AND.*created_at < \(now\(\) - '30 days'/)
          // The application role is not the owner, whatever it sets.
          const seen = yield* sql`select set_config('role', 'sextant_app', true),
            set_config('app.retention', 'on', true)`.pipe(
            Effect.andThen(sql`select 1 from decision`), sql.withTransaction)
          assert.deepStrictEqual(seen, [])
        }).pipe(Effect.provide(LedgerSql.layer)))
    })))
