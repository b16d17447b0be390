/* Removes the remains of deleted rows from files: space, statistics, and the write-ahead log. */
import { Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { accountTables } from "./AccountTables.ts"

type Swept = Effect.fn.Return<void, SqlError.SqlError | Schema.SchemaError, SqlClient.SqlClient>

/** Deletes the planner's statistics, which hold column values; PostgreSQL 18 allows it to the owner. */
const forgetStatistics = Effect.fnUntraced(function*(
  tables: ReadonlyArray<string>
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [can] = yield* sql<{ readonly is: boolean }>`select
    to_regprocedure('pg_clear_attribute_stats(text,text,text,boolean)') is not null as is`
  if (can?.is !== true) return
  yield* sql`select pg_clear_attribute_stats(s.schemaname::text, s.tablename::text, s.attname::text,
      s.inherited)::text
    from pg_stats s where s.schemaname = current_schema()
      and exists (select from unnest(${tables}::text[]) as t (name) where s.tablename = t.name
        or starts_with(s.tablename::text, t.name || '_'))`
})

/**
 * Frees the space of deleted rows, and deletes the planner's statistics of them. With `compact` the tables
 * are rewritten, so that no old byte is left in them; each is locked meanwhile.
 */
export const vacuumTables = Effect.fnUntraced(function*(compact: boolean): Swept {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* accountTables
  yield* forgetStatistics(tables.map(({ name }) => name))
  for (const { name } of tables) {
    yield* compact ? sql`vacuum (full, analyze) ${sql(name)}` : sql`vacuum (analyze) ${sql(name)}`
  }
  if (compact) yield* sql`vacuum (full) pg_statistic`.pipe(Effect.ignore)
})

/**
 * Begins a new segment of the write-ahead log and lets the server remove the older ones instead of reusing
 * them. For the embedded server, whose superuser this process is.
 */
export const dropOldLog: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.gen(function*() {
      yield* sql`alter system set wal_recycle = off`
      yield* sql`select pg_reload_conf()`
      // The checkpointer reads its settings between two checkpoints.
      for (let times = 0; times < 3; times++) {
        yield* sql`select pg_switch_wal()::text`
        yield* sql`checkpoint`
      }
    }).pipe(Effect.ensuring(
      sql`alter system reset wal_recycle`.pipe(Effect.andThen(sql`select pg_reload_conf()`), Effect.ignore)
    ))
)
