/* Erases the rows of one user of an account from the database. */
import { Effect, type Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { AccountId } from "../domain/Scope.ts"
import { withAccountLog } from "../sql/AccountScope.ts"
import { partitionedTables } from "../sql/LedgerTables.ts"
import { retryTransient } from "../sql/Transient.ts"
import { type AccountTable, accountTables } from "./AccountTables.ts"
import { add, type Erased } from "./EraseAccount.ts"

/** A write for a remote memory may exist longer than its decision. */
const hasWriteOf = (
  sql: SqlClient.SqlClient,
  userId: string,
  decisions: Statement.Fragment,
  outcomes: Statement.Fragment
): Statement.Fragment =>
  sql`exists (
    select from jsonb_array_elements(coalesce(writes, '[]') || coalesce(refused, '[]')) as each (write)
    where write #>> '{body,user_id}' = ${userId}
      or write #>> '{body,recommendation_id}' in (${decisions})
      or write #>> '{body,observation_id}' in (${outcomes})
      or write #>> '{body,reinforcement_id}' in (${outcomes})
      or write #>> '{body,lesson_id}' in (${outcomes}))`

/** Returns the condition for a user's rows; null if the table can have none. */
const conditionOf = (
  sql: SqlClient.SqlClient,
  { columns, name }: AccountTable,
  accountId: AccountId,
  userId: string
): Statement.Fragment | null => {
  const decisions = sql`select recommendation_id::text from decision
    where account_id = ${accountId} and user_id = ${userId}`
  const outcomes = sql`select observation_id::text from observation
    where account_id = ${accountId} and user_id = ${userId}`
  const conditions: Readonly<Record<string, Statement.Fragment>> = {
    user_id: sql`user_id = ${userId}`,
    actor: sql`actor = ${userId}`,
    recommendation_id: sql`recommendation_id::text in (${decisions})`,
    observation_id: sql`observation_id::text in (${outcomes})`,
    lesson_id: sql`lesson_id in (${outcomes})`,
    writes: hasWriteOf(sql, userId, decisions, outcomes)
  }
  const own = columns.flatMap((column) => conditions[column.name] ?? [])
  const reflected = columns.some((column) => column.name === "is_reflected") && name === "lesson"
    ? [sql`(is_reflected and lane in (select lane from observation
        where account_id = ${accountId} and user_id = ${userId}))`]
    : []
  const all = [...own, ...reflected]
  return all.length === 0 ? null : sql`(${sql.or(all)})`
}

/** Tables by which rows of other tables are found come last. Rows of `lane` stay. */
const found = ["observation", "decision", "lane"]

/**
 * Deletes one user's rows, and all rows of the user's decisions and outcomes, in one transaction. A report
 * is also deleted if it holds writes about the user for a remote memory. Sums over outcomes stay, because
 * they identify no user.
 * @param redraw makes the reflected lessons of a lane anew, in the same transaction
 */
export const eraseActor = Effect.fnUntraced(function*(
  accountId: AccountId,
  userId: string,
  redraw: (of: { readonly lane: string }) => Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>
): Effect.fn.Return<Erased, SqlError.SqlError | Schema.SchemaError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* accountTables
  const isLedger = ({ name }: AccountTable) => partitionedTables.includes(name)
  const ordered = [
    ...partitionedTables.flatMap((name) =>
      tables.filter((table) => table.name === name && !found.includes(name))),
    ...tables.filter((table) => !found.includes(table.name) && !isLedger(table)),
    ...tables.filter(({ name }) => name === "observation"),
    ...tables.filter(({ name }) => name === "decision")
  ]
  const erased: Record<string, number> = {}
  const erase = Effect.fnUntraced(function*(table: AccountTable) {
    const condition = conditionOf(sql, table, accountId, userId)
    if (condition === null) return
    const [gone] = yield* sql<{ readonly rows: number }>`with gone as (
        delete from ${sql(table.name)} where account_id = ${accountId} and ${condition} returning 1
      ) select count(*)::float8 as rows from gone`
    add(erased, table.name, gone?.rows ?? 0)
  })
  const eraseAll = Effect.gen(function*() {
    for (const name of Object.keys(erased)) delete erased[name]
    const touched = yield* sql<{ readonly lane: string }>`select lane from lane
      where account_id = ${accountId} and lane in (
        select lane from observation where account_id = ${accountId} and user_id = ${userId})
      order by lane`
    for (const table of ordered) yield* erase(table)
    for (const { lane } of touched) {
      yield* sql`with moved as (
          update lane set version = version + 1, rewritten_version = version + 1
          where account_id = ${accountId} and lane = ${lane} returning version
        )
        insert into reflection (account_id, lane, crossing, observation_id)
        select ${accountId}, ${lane}, 'erased:' || version, gen_random_uuid() from moved`
      yield* redraw({ lane })
    }
  })
  yield* withAccountLog(accountId, 0)(() => eraseAll).pipe(retryTransient)
  return erased
})
