/* Finds and purges old rows and old texts in the tables that retention purges row by row. */
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AccountId } from "../domain/Scope.ts"
import { acrossAccounts, withAccount } from "../sql/AccountScope.ts"
import type { RetainedTable } from "./RetainedTables.ts"
import { retentionSettings } from "./RetentionSettings.ts"
import { inLockedTransaction, withRetentionLock } from "./RetentionLock.ts"

const { batchRows } = retentionSettings

type Aged = RetainedTable & { readonly cut: Date }

export interface OldRows extends Aged {
  readonly accountId: string
  readonly rows: number
}

const isOld = (sql: SqlClient.SqlClient, { cut, only = "true", time }: Aged) =>
  sql`${sql(time)} < ${cut} and ${sql.literal(only)}`

/** Counts the old rows of each account, which only the owner of the tables can do. */
export const accountsWithOld = (each: Aged) =>
  inLockedTransaction(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* acrossAccounts
    const found = yield* sql<{ readonly accountId: string; readonly rows: number }>`
      select account_id as "accountId", count(*)::float8 as rows from ${sql(each.table)}
      where ${isOld(sql, each)} group by account_id order by account_id`
    return found.map((one): OldRows => ({ ...each, ...one }))
  }))

/**
 * Deletes an account's old rows in batches, or empties their texts in one statement, under row-level
 * security. Yields the number of changed rows.
 */
export const purgeRows = Effect.fnUntraced(function*(old: OldRows) {
  const sql = yield* SqlClient.SqlClient
  const accountId = AccountId.make(old.accountId)
  const own = sql`account_id = ${accountId} and ${isOld(sql, old)}`
  const run = (change: Statement.Fragment) =>
    withRetentionLock(sql<{ readonly rows: number }>`with gone as (${change} returning 1)
      select count(*)::float8 as rows from gone`).pipe(
      withAccount(accountId),
      Effect.map(([gone]) => gone?.rows ?? 0)
    )
  // Texts are emptied in one statement, because emptied rows stay, and every batch would read them again.
  if (old.emptied !== undefined) {
    return yield* run(sql`update ${sql(old.table)} set ${sql.literal(old.emptied)} where ${own}`)
  }
  const batch = run(sql`delete from ${sql(old.table)} where ctid = any(array(
    select ctid from ${sql(old.table)} where ${own} limit ${batchRows})) and ${own}`)
  let rows = 0
  for (;;) {
    const gone = yield* batch
    rows += gone
    if (gone < batchRows) return rows
    yield* Effect.yieldNow
  }
})
