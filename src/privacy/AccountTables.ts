/* The tables with rows of accounts, as the database's catalog describes them. */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

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

/** Tables whose rows are derived from others, by trigger, or belong to the service itself. */
const derived = [
  "decision_figures", "spend_change", "spend_hour", "model_call", "model_probe"
]

/** The table of keys. Its rows say who may call, and must never leave the database. */
export const keyTable = "api_key"

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

/**
 * Every table with an `account_id` except that of keys, by name, so that a table of a later migration is
 * exported and erased without any list. Partitions are reached through their parent.
 */
export const accountTables: Effect.Effect<
  ReadonlyArray<AccountTable>,
  SqlError.SqlError | Schema.SchemaError,
  SqlClient.SqlClient
> = Effect.flatMap(SqlClient.SqlClient, (sql) =>
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
      and not c.relispartition and c.relname <> ${keyTable} and exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id'
          and not a.attisdropped)
    order by c.relname`, decodeTables))

/** The tables of an export: those without derived rows. */
export const exported = (tables: ReadonlyArray<AccountTable>): ReadonlyArray<AccountTable> =>
  tables.filter(({ name }) => !derived.includes(name))
