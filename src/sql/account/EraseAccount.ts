/* Erases an account's rows from the database. */
import { Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { withAccount } from "../AccountScope.ts"
import { retryTransient } from "../Transient.ts"
import { type AccountTable, accountTables } from "./AccountTables.ts"

/** Rows deleted in one transaction: tens of milliseconds, after which those who serve have their turn. */
const batchRows = 2_000
/** How often all tables are looked at again for rows that were written meanwhile. */
const passesMax = 5

/** Rows that went, by table. */
export type Erased = Readonly<Record<string, number>>

type Failure = SqlError.SqlError | Schema.SchemaError

/** What an account has said of itself outlives its data: a setting that keeps words out above all. */
const kept = ["account_setting"]

export const add = (erased: Record<string, number>, table: string, rows: number): void => {
  if (rows > 0) erased[table] = (erased[table] ?? 0) + rows
}

/** Inside the account's transaction, or as the owner where the application's role has no access. */
const reaching = (accountId: AccountId, { isDetached }: AccountTable) =>
  <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    isDetached ? effect : retryTransient(withAccount(accountId)(effect))

const eraseRows = Effect.fnUntraced(function*(accountId: AccountId, table: AccountTable) {
  const sql = yield* SqlClient.SqlClient
  const name = sql(table.name)
  const batch = sql<{ readonly rows: number }>`with gone as (
      delete from ${name} where account_id = ${accountId} and (tableoid, ctid) in (
        select tableoid, ctid from ${name} where account_id = ${accountId} limit ${batchRows})
      returning 1
    ) select count(*)::float8 as rows from gone`.pipe(reaching(accountId, table))
  for (let rows = 0;;) {
    const [gone] = yield* batch
    if ((gone?.rows ?? 0) === 0) return rows
    rows += gone?.rows ?? 0
    yield* Effect.yieldNow
  }
})

/** Lanes last: a lane that is there is one that others may still write to. */
const inOrder = (tables: ReadonlyArray<AccountTable>): ReadonlyArray<AccountTable> => [
  ...tables.filter(({ name }) => name !== "lane" && !kept.includes(name)),
  ...tables.filter(({ name }) => name === "lane")
]

/**
 * Deletes every row of the account but its settings and keys, in batches, while others are served. What is
 * written for it meanwhile goes too, in a few passes; what comes after is a new history.
 */
export const eraseAccount = Effect.fnUntraced(function*(
  accountId: AccountId
): Effect.fn.Return<Erased, Failure, SqlClient.SqlClient> {
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
