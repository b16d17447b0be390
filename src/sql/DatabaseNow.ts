/* The time by which shared data are kept, expired and dropped: the database's, never a process's own. */
import { Context, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

const selectNow = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.flatMap(
    sql<{ readonly now: Date }>`select clock_timestamp() as now`,
    ([row]) =>
      row === undefined ? Effect.die("A select without a table has a row") : Effect.succeed(row.now)
  ))

/** Reads the database's clock; a test puts another one in its place. */
export const DatabaseNow = Context.Reference<Effect.Effect<Date, SqlError.SqlError, SqlClient.SqlClient>>(
  "sextant/sql/DatabaseNow",
  { defaultValue: () => selectNow }
)

/** The database's time. */
export const databaseNow: Effect.Effect<Date, SqlError.SqlError, SqlClient.SqlClient> =
  Effect.flatMap(DatabaseNow, (read) => read)
