import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../src/domain/Scope.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { layerPostgres } from "../../src/sql/Database.ts"
import { databaseSettings } from "../../src/sql/DatabaseSettings.ts"
import { freshDatabase, layerPostgresServing, postgresServer } from "../support/Databases.ts"
import { hasPgBouncer, pgBouncer } from "../support/PgBouncer.ts"

/** Transactions on all connections of the pool at once; yields the accounts that they found in force. */
const onAll = Effect.forEach(Array.from({ length: 4 * databaseSettings.connections }, (_, i) => i), (i) =>
  withAccount(AccountId.make(`account${i}`))(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly account: string; readonly role: string }>`
      select current_setting('app.account') as account, current_user::text as role, pg_sleep(0.01)`
    return row?.account === `account${i}` && row.role === "sextant_app"
  })), { concurrency: "unbounded" })

/** As PgBouncer's clients are told to set it up, where they send time limits. */
const dropping = "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout"

describe.skipIf(postgresServer === null || !hasPgBouncer)("connections through PgBouncer in transaction mode", () => {
  for (const [kind, settings] of [["drops", [dropping]], ["refuses", []]] as const) {
    it.live(`hold nothing over transactions that another connection would lack, where it ${kind} limits`, () =>
      Effect.gen(function*() {
        const { url } = yield* freshDatabase(postgresServer ?? "")
        const pooler = yield* pgBouncer(url, settings)
        for (const pool of [layerPostgresServing(pooler.url), layerPostgres(pooler.url)]) {
          yield* Effect.gen(function*() {
            for (let round = 1; round <= 3; round++) {
              const found = yield* onAll
              assert.deepStrictEqual([...new Set(found)], [true])
              pooler.renew()
            }
          }).pipe(Effect.provide(pool))
        }
      }), 60_000)
  }
})
