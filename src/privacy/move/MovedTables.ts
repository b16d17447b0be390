/* The tables of an account that moves, and sums of its rows by which two cells are compared. */
import { Effect, type Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { type AccountTable, accountTables, exported } from "../AccountTables.ts"
import { moveSettings } from "./MoveSettings.ts"

export interface MovedTable extends AccountTable {
  /** The columns that are written, by name: the same order in both cells. */
  readonly written: ReadonlyArray<string>
  /** The columns of the primary key, without the account. */
  readonly keys: ReadonlyArray<string>
  /**
   * Whether background workers of a cell act on its rows, so that they are copied only when the account is
   * frozen, and not compared.
   */
  readonly isQueue: boolean
}

const queues = ["outbox", "reflection"]

/** The tables in this database, by name. */
export const movedTables: Effect.Effect<
  ReadonlyArray<MovedTable>,
  SqlError.SqlError | Schema.SchemaError,
  SqlClient.SqlClient
> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const keys = yield* sql<{ readonly name: string; readonly columns: ReadonlyArray<string> }>`
    select c.relname as name, json_agg(a.attname) as columns
    from pg_index i join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey) and a.attname <> 'account_id'
    where i.indisprimary and c.relnamespace = to_regnamespace(current_schema()) group by c.relname`
  const keysOf = new Map(keys.map(({ columns, name }) => [name, columns]))
  return exported(yield* accountTables).map((table): MovedTable => ({
    ...table,
    written: table.columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => name).sort(),
    keys: keysOf.get(table.name) ?? [],
    isQueue: queues.includes(table.name)
  }))
})

/** The hash of the values of a row `t`, which is the same in both cells. */
export const hashOf = (sql: SqlClient.SqlClient, { written }: MovedTable): Statement.Fragment =>
  sql`hash_record_extended(row(${sql.csv(written.map((column) => sql`t.${sql(column)}`))}), 0)`

const groupMask = String(moveSettings.groups - 1)

/** The group of a row `t`, from 0. */
export const groupOf = (sql: SqlClient.SqlClient, table: MovedTable): Statement.Fragment =>
  sql`(${hashOf(sql, table)} & ${sql.literal(groupMask)})::int`

/** Rows of an account in a table: how many, and a sum of their hashes. */
interface RowSum {
  readonly rows: number
  /** Null where the rows were only counted. */
  readonly sum: string | null
}

export const isSame = (one: RowSum | undefined, other: RowSum | undefined): boolean =>
  one?.rows === other?.rows && (one?.sum === other?.sum || one?.sum === null || other?.sum === null)

/** The sums of the account's rows by group. */
export const groupSums = Effect.fnUntraced(function*(
  accountId: AccountId,
  table: MovedTable
): Effect.fn.Return<ReadonlyMap<number, RowSum>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<RowSum & { readonly group: number }>`
    select (hash & ${sql.literal(groupMask)})::int as "group", count(*)::float8 as rows,
      bit_xor(hash)::text as sum
    from (select ${hashOf(sql, table)} as hash from ${sql(table.name)} t
      where account_id = ${accountId} offset 0) as hashed group by 1`
  return new Map(rows.map(({ group, ...sum }) => [group, sum]))
})

/** The sum of all rows of the account, or their count alone where there are more than `summedMax`. */
export const rowSum = Effect.fnUntraced(function*(
  accountId: AccountId,
  table: MovedTable,
  summedMax: number
): Effect.fn.Return<RowSum, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const mine = sql`from ${sql(table.name)} t where account_id = ${accountId}`
  const [row] = yield* sql<RowSum>`select rows, case when rows <= ${summedMax}::float8
      then (select coalesce(bit_xor(${hashOf(sql, table)}), 0)::text ${mine}) end as sum
    from (select count(*)::float8 as rows ${mine}) as counted`
  return row ?? { rows: 0, sum: null }
})
