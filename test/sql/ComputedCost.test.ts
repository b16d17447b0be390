import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { toRow } from "../../src/ledger/sql/DecisionRow.ts"
import { migrateOnce } from "../../src/sql/Migrations.ts"
import { decisionOf, newAccount } from "../ledger/LedgerContract.ts"
import { freshDatabase, postgresServer } from "../support/Databases.ts"

const client = (url: Redacted.Redacted<string>) => PgClient.layer({ url, maxConnections: 2 })

describe("the cost at list prices of a decision's figures", () => {
  it.live.skipIf(postgresServer === null)("is that of its last report, and that of an imported decision", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase(postgresServer ?? "")
      yield* Effect.provide(migrateOnce(), Layer.fresh(client(url)))
      const sql = yield* Effect.provide(SqlClient.SqlClient, yield* Layer.build(client(url)))
      const connection = yield* sql.reserve
      const accountId = newAccount()
      const decisions = Array.from({ length: 16 }, () => decisionOf(accountId))
      const rows = `[${decisions.map((decision) => toRow(decision)).join()}]`
      yield* connection.execute("select append_decisions($1, $2::text::jsonb)", [accountId, rows], undefined)
      // One connection, which keeps its plans: of the trigger, too.
      const report = (index: number, usd: number | null, billUsd: number | null = null) =>
        connection.execute(
          `update decision set feedback_at = now(), chosen_model_id = 'm', outcome = 'success', quality = 1,
            provenance = 'gate', teaches = true, is_late = false, computed_cost_usd = $2, actual_cost_usd = $3
          where recommendation_id = $1`,
          [decisions[index]!.recommendationId, usd, billUsd], undefined
        )
      yield* Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7], (index) => report(index, 0.25))
      yield* report(0, 0.5)
      yield* report(8, 0.5)
      yield* report(9, null)
      yield* report(10, 0.5, 0.125)
      // As an import writes it: a row that has its feedback.
      yield* connection.execute(
        `create temporary table copied as select * from decision where recommendation_id = '${decisions[8]!.recommendationId}'`,
        [], undefined
      )
      yield* connection.execute("update copied set account_id = 'imported'", [], undefined)
      yield* connection.execute("insert into decision select * from copied", [], undefined)
      const figures = yield* connection.execute(
        `select computed_cost_usd as computed, actual_cost_usd as actual, count(*)::int as n from decision_figures
          where feedback_at is not null group by 1, 2 order by 1, 2`,
        [], undefined
      )
      assert.deepStrictEqual(figures, [
        { computed: 0.25, actual: null, n: 7 }, { computed: 0.5, actual: 0.125, n: 1 },
        { computed: 0.5, actual: null, n: 3 }, { computed: null, actual: null, n: 1 }
      ])
    }).pipe(Effect.scoped), 60_000)
})
