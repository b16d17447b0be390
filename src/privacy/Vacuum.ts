/* Removes the remains of deleted rows from tables, statistics, and the write-ahead log. */
import { Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { accountTables } from "./AccountTables.ts"

type Swept = Effect.fn.Return<void, SqlError.SqlError | Schema.SchemaError, SqlClient.SqlClient>

/** Deletes the planner's statistics, which contain values of columns, on PostgreSQL 18 or later. */
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

/** Frees the space of deleted rows and renews statistics. `compact` rewrites tables without old bytes. */
export const vacuumTables = Effect.fnUntraced(function*(compact: boolean): Swept {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* accountTables
  yield* forgetStatistics(tables.map(({ name }) => name))
  for (const { name } of tables) {
    yield* compact ? sql`vacuum (full, analyze) ${sql(name)}` : sql`vacuum (analyze) ${sql(name)}`
  }
  if (compact) yield* sql`vacuum (full) pg_statistic`.pipe(Effect.ignore)
})

/** Maximum rounds of {@link dropOldLog} beyond one per segment, as the first rounds may reuse segments. */
const roundsMore = 5

/** Returns the names of the log's segments in order. Segments kept for reuse contain old bytes. */
const segments = Effect.fnUntraced(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`select name collate "C" as name from pg_ls_waldir()
    where name ~ '^[0-9A-F]{24}$' order by 1`
  return rows.map(({ name }) => name)
})

/**
 * Starts new segments of the write-ahead log until the server has removed all earlier segments, or logs a
 * warning. `dropOldLog` needs a superuser, such as the role of the embedded server.
 */
export const dropOldLog: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.gen(function*() {
      yield* sql`alter system set wal_recycle = off`
      yield* sql`select pg_reload_conf()`
      const rounds = (yield* segments()).length + roundsMore
      for (let round = 0; round < rounds; round++) {
        const before = yield* segments()
        yield* sql`select pg_switch_wal()::text`
        // Until the checkpointer has read the setting `wal_recycle`, it may reuse segments.
        yield* sql`checkpoint`
        const [first = "", second] = yield* segments()
        if (second === undefined && first > (before.at(-1) ?? "")) return
      }
      yield* Effect.logWarning("The server keeps segments of the write-ahead log that may hold erased text")
    }).pipe(Effect.ensuring(
      sql`alter system reset wal_recycle`.pipe(Effect.andThen(sql`select pg_reload_conf()`), Effect.ignore)
    ))
)
