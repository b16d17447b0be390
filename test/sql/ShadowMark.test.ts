import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { toRow } from "../../src/ledger/sql/DecisionRow.ts"
import { migrateOnce, migrateUpTo } from "../../src/sql/Migrations.ts"
import { decisionOf, newAccount } from "../ledger/LedgerContract.ts"
import { freshDatabase, postgresServer } from "../support/Databases.ts"

const client = (url: Redacted.Redacted<string>) => PgClient.layer({ url, maxConnections: 2 })

describe("the mark of decisions in shadow", () => {
  it.live.skipIf(postgresServer === null)("is added under a copy of the version before, whose open connection goes on writing and reading", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase(postgresServer ?? "")
      yield* Effect.provide(migrateUpTo("keyed_settlements"), Layer.fresh(client(url)))
      const sql = yield* Effect.provide(SqlClient.SqlClient, yield* Layer.build(client(url)))
      const connection = yield* sql.reserve
      const accountId = newAccount()
      const older = Array.from({ length: 8 }, () => decisionOf(accountId))
      // The statements of the version before, on one connection, which keeps their plans.
      const writeAndRead = Effect.fnUntraced(function*({ createdAt, recommendationId, ...rest }: typeof older[number]) {
        const { is_shadow: _, ...row } = JSON.parse(toRow({ createdAt, recommendationId, ...rest }))
        yield* connection.execute("select append_decisions($1, $2::text::jsonb)", [accountId, JSON.stringify([row])], undefined)
        const found = yield* connection.execute(
          `select recommendation_id::text as id, is_escalated, task_vectors
            from find_decisions($1, $2::timestamptz[], $3::uuid[])`,
          [accountId, [createdAt.toISOString()], [recommendationId]], undefined
        )
        assert.deepStrictEqual(found, [{ id: recommendationId, is_escalated: true, task_vectors: null }])
      })
      yield* Effect.forEach(older.slice(0, 6), writeAndRead)
      yield* Effect.provide(migrateOnce, Layer.fresh(client(url)))
      yield* Effect.forEach(older.slice(6), writeAndRead)
      const marks = yield* Effect.forEach(["decision", "decision_figures"], (table) =>
        connection.execute(`select is_shadow, count(*)::int as rows from ${table} group by 1`, [], undefined))
      const none = [{ is_shadow: false, rows: older.length }]
      assert.deepStrictEqual(marks, [none, none])
    }).pipe(Effect.scoped), 60_000)
})
