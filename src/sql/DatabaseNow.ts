/* The database's time, which decides when shared data expire, because clocks of processes may be wrong. */
import { Context, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

const selectNow = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.flatMap(
    sql<{ readonly now: Date }>`select clock_timestamp() as now`,
    ([row]) =>
      row === undefined ? Effect.die("A select without a table has a row") : Effect.succeed(row.now)
  ))

/** Tests replace this effect. */
export const DatabaseNow = Context.Reference<Effect.Effect<Date, SqlError.SqlError, SqlClient.SqlClient>>(
  "sextant/sql/DatabaseNow",
  { defaultValue: () => selectNow }
)

export const databaseNow: Effect.Effect<Date, SqlError.SqlError, SqlClient.SqlClient> =
  Effect.flatMap(DatabaseNow, (read) => read)
