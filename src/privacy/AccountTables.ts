/* The tables with rows of accounts, as the database's catalog describes them. */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../domain/Scope.ts"
import { acrossAccounts } from "../sql/AccountScope.ts"

export interface AccountColumn {
  readonly name: string
  /** The type as the database spells it: `text`, `timestamp with time zone`, `text[]`. */
  readonly type: string
  readonly isNullable: boolean
  /** Whether the database fills in a value that is left out. */
  readonly hasDefault: boolean
  /** Whether only the database may fill it in. */
  readonly isGenerated: boolean
}

export interface AccountTable {
  readonly name: string
  readonly columns: ReadonlyArray<AccountColumn>
}

/** Tables whose rows are derived from others, or belong to the service itself. */
const derived = [
  "decision_figures", "spend_change", "spend_hour", "model_call", "model_probe"
]

/** The table of keys. Its rows say who may call; an account's role does not see them. */
export const keyTable = "api_key"

type Tables = Effect.Effect<
  ReadonlyArray<AccountTable>,
  SqlError.SqlError | Schema.SchemaError,
  SqlClient.SqlClient
>

const decodeTables = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Schema.Struct({
    name: Schema.String,
    type: Schema.String,
    isNullable: Schema.Boolean,
    hasDefault: Schema.Boolean,
    isGenerated: Schema.Boolean
  }))
})))

/** Every table with an `account_id`, by name. Partitions are reached through their parent. */
const allTables: Tables = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.flatMap(sql`
    select c.relname as name, (
      select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null),
        'isNullable', not a.attnotnull, 'hasDefault', a.atthasdef or a.attidentity <> '',
        'isGenerated', a.attidentity = 'a' or a.attgenerated <> '') order by a.attnum)
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attname <> 'account_id'
    ) as columns
    from pg_class c
    where c.relnamespace = to_regnamespace(current_schema()) and c.relkind in ('r', 'p')
      and not c.relispartition and exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id'
          and not a.attisdropped)
    order by c.relname`, decodeTables))

/** The tables except that of keys, so that a table of a later migration is erased without any list. */
export const accountTables: Tables = Effect.map(allTables, (tables) =>
  tables.filter(({ name }) => name !== keyTable))

/** A row by its columns. */
type TableRow = Readonly<Record<string, unknown>>

/** How rows of a table stand in a file and are written from it, where that is not by the table's columns. */
export interface RowForm {
  /** The columns in a file, and a row as it is there. */
  readonly file?: {
    readonly columns: ReadonlyArray<AccountColumn>
    readonly rowOf: (row: TableRow) => TableRow
  }
  /** Writes rows from which others follow, under the lock of the account's log; yields how many are new. */
  readonly write: (
    accountId: AccountId,
    rows: ReadonlyArray<TableRow>
  ) => Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient>
}

/** Forms by table. */
export type RowForms = Readonly<Record<string, RowForm>>

/** What an export is of, or an import goes into. */
export interface Store {
  /** The tables of an export, by their columns there: those without derived rows, that of keys included. */
  readonly tables: ReadonlyArray<AccountTable>
  /** Migrations by name, in their order. */
  readonly schema: ReadonlyArray<string>
}

export const storeWith = Effect.fnUntraced(function*(
  forms: RowForms
): Effect.fn.Return<Store, SqlError.SqlError | Schema.SchemaError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const applied = yield* sql<{ readonly name: string }>`
    select name from sextant_migration order by migration_id`
  const tables = (yield* allTables).filter(({ name }) => !derived.includes(name)).map(({ columns, name }) =>
    ({ name, columns: forms[name]?.file?.columns ?? columns }))
  return { tables, schema: applied.map(({ name }) => name) }
})

/**
 * The accounts that have a row or a key, by name. Run it as the owner of the tables, inside a transaction.
 */
export const accountsIn = Effect.fnUntraced(function*(
  { tables }: Store
): Effect.fn.Return<ReadonlyArray<AccountId>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* acrossAccounts
  const found = yield* Effect.forEach(tables, ({ name }) =>
    sql<{ readonly account: AccountId }>`select distinct account_id as account from ${sql(name)}`)
  return [...new Set(found.flat().map(({ account }) => account))].sort()
})

/** Inside a transaction, ends the role that `withAccount` took on, which sees no key. */
export const leaveAccount: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient> =
  SqlClient.SqlClient.use((sql) =>
    sql`select set_config('role', 'none', true), set_config('app.account', '', true)`)
