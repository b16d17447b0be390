/* Old rows of the tables that retention empties row by row. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../domain/Scope.ts"
import { withAccount } from "../sql/AccountScope.ts"
import type { RetainedTable } from "./RetainedTables.ts"
import { retentionSettings } from "./RetentionSettings.ts"
import { alone, inTransaction } from "./RetentionTurn.ts"

const { batchRows } = retentionSettings

const ageOf = (sql: SqlClient.SqlClient, { age, time }: RetainedTable) =>
  age === undefined ? sql`${sql(time)}` : sql.literal(age)

/** The condition on old rows, which all statements of a table share. */
const isOld = (sql: SqlClient.SqlClient, each: RetainedTable, cut: Date) =>
  // Rows in monthly partitions are dropped with them.
  sql`${ageOf(sql, each)} < ${cut} and ${sql.literal(each.only ?? "true")}${
    each.table === "decision" ? sql` and tableoid = 'decision_default'::regclass` : sql.literal("")
  }`

/** An account's old rows of a table, count. */
interface OldRows {
  readonly accountId: string
  readonly rows: number
}

/**
 * Accounts with old rows: the one read across accounts, which the policy `old_to_owner` allows the owner.
 */
export const accountsWithOld = (each: RetainedTable, cut: Date) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`select set_config('app.retention', 'on', true)`.pipe(
      Effect.andThen(sql<OldRows>`
        select account_id as "accountId", count(*)::float8 as rows from ${sql(each.table)}
        where ${isOld(sql, each, cut)} group by account_id order by account_id`),
      inTransaction
    ))

/** Deletes an account's old rows of one table in batches, in the account's own role; yields how many. */
export const purgeRows = Effect.fnUntraced(function*(each: RetainedTable, accountId: AccountId, cut: Date) {
  const sql = yield* SqlClient.SqlClient
  const batch = alone(sql<{ readonly rows: number }>`with gone as (
      delete from ${sql(each.table)} where account_id = ${accountId} and ctid = any(array(
        select ctid from ${sql(each.table)}
        where account_id = ${accountId} and ${isOld(sql, each, cut)} limit ${batchRows}))
        and ${isOld(sql, each, cut)}
      returning 1
    ) select count(*)::float8 as rows from gone`).pipe(withAccount(accountId))
  let rows = 0
  for (;;) {
    const [gone] = yield* batch
    rows += gone?.rows ?? 0
    if ((gone?.rows ?? 0) < batchRows) return rows
    yield* Effect.yieldNow
  }
})
