/* Reads and runs the `.sql` files below this folder. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { readFileSync } from "node:fs"

/** Returns the text of the file `<path>.sql`, for example for `functions/access`. */
export const sqlText = (path: string): string =>
  readFileSync(new URL(`./${path}.sql`, import.meta.url), "utf8")

export const runFile = Effect.fnUntraced(function*(
  path: string
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  // PostgreSQL's check of function bodies is off, because a function may name a column of a later migration.
  yield* sql`select set_config('check_function_bodies', 'off', true)`
  yield* sql`${sql.literal(`do $schema$ begin\n${sqlText(path)}\nend $schema$`)}`
})
