/* The tables that contain rows of accounts, read from the database's catalog. */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../domain/Scope.ts"
import { acrossAccounts } from "../sql/AccountScope.ts"

export interface AccountColumn {
  readonly name: string
  /** The column's type in PostgreSQL's spelling, for example `timestamp with time zone` or `text[]`. */
  readonly type: string
  readonly isNullable: boolean
  readonly hasDefault: boolean
  /** True if only the database may set the value. */
  readonly isGenerated: boolean
}

export interface AccountTable {
  readonly name: string
  readonly columns: ReadonlyArray<AccountColumn>
}

/** Tables that are not exported: their rows are computed from other tables, or are short-lived. */
const derived = [
  "decision_figures", "spend_change", "spend_hour", "model_call", "model_probe"
]

/** The application role cannot read the table of keys. */
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

/** Partitions are left out. */
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

/** All tables of accounts but the keys. A table of a later migration is found automatically. */
export const accountTables: Tables = Effect.map(allTables, (tables) =>
  tables.filter(({ name }) => name !== keyTable))

type TableRow = Readonly<Record<string, unknown>>

/** How a table's rows are exported and imported. With `file`, exported rows have columns of their own. */
export interface RowForm {
  readonly file?: {
    readonly columns: ReadonlyArray<AccountColumn>
    readonly rowOf: (row: TableRow) => TableRow
  }
  /** Yields the number of new rows. */
  readonly write: (
    accountId: AccountId,
    rows: ReadonlyArray<TableRow>
  ) => Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient>
}

export type RowForms = Readonly<Record<string, RowForm>>

export interface Store {
  readonly tables: ReadonlyArray<AccountTable>
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

/** The caller must run this as the owner of the tables, inside a transaction. */
export const accountsIn = Effect.fnUntraced(function*(
  { tables }: Store
): Effect.fn.Return<ReadonlyArray<AccountId>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* acrossAccounts
  const found = yield* Effect.forEach(tables, ({ name }) =>
    sql<{ readonly account: AccountId }>`select distinct account_id as account from ${sql(name)}`)
  return [...new Set(found.flat().map(({ account }) => account))].sort()
})

/** Resets the role and account of the open transaction, because the application role cannot read keys. */
export const leaveAccount: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient> =
  SqlClient.SqlClient.use((sql) =>
    sql`select set_config('role', 'none', true), set_config('app.account', '', true)`)
