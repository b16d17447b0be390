/* Erases an account's rows from the database. */
import { Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../domain/Scope.ts"
import { withAccount } from "../sql/AccountScope.ts"
import { retryTransient } from "../sql/Transient.ts"
import { type AccountTable, accountTables } from "./AccountTables.ts"

const batchRows = 2_000
/** Maximum number of passes over all tables. Later passes find rows that were written in the meantime. */
const passesMax = 5

export type Erased = Readonly<Record<string, number>>

type EraseFailure = SqlError.SqlError | Schema.SchemaError

/** The settings are not deleted, because one of them may forbid to store task texts. */
const kept = ["account_setting"]

export const add = (erased: Record<string, number>, table: string, rows: number): void => {
  if (rows > 0) erased[table] = (erased[table] ?? 0) + rows
}

const eraseRows = Effect.fnUntraced(function*(accountId: AccountId, table: AccountTable) {
  const sql = yield* SqlClient.SqlClient
  const name = sql(table.name)
  const batch = sql<{ readonly rows: number }>`with gone as (
      delete from ${name} where account_id = ${accountId} and (tableoid, ctid) in (
        select tableoid, ctid from ${name} where account_id = ${accountId} limit ${batchRows})
      returning 1
    ) select count(*)::float8 as rows from gone`.pipe(withAccount(accountId), retryTransient)
  for (let rows = 0;;) {
    const [gone] = yield* batch
    if ((gone?.rows ?? 0) === 0) return rows
    rows += gone?.rows ?? 0
    yield* Effect.yieldNow
  }
})

/** The table of lanes comes last, because other processes may write to a lane as long as it exists. */
const inOrder = (tables: ReadonlyArray<AccountTable>): ReadonlyArray<AccountTable> => [
  ...tables.filter(({ name }) => name !== "lane" && !kept.includes(name)),
  ...tables.filter(({ name }) => name === "lane")
]

/** Deletes an account's rows in batches, so that other requests run in between. Settings and keys stay. */
export const eraseAccount = Effect.fnUntraced(function*(
  accountId: AccountId
): Effect.fn.Return<Erased, EraseFailure, SqlClient.SqlClient> {
  const tables = inOrder(yield* accountTables)
  const erased: Record<string, number> = {}
  for (let pass = 0; pass < passesMax; pass++) {
    let rows = 0
    for (const table of tables) {
      const gone = yield* eraseRows(accountId, table)
      add(erased, table.name, gone)
      rows += gone
    }
    if (rows === 0) break
  }
  return erased
})
