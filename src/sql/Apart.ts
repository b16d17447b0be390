import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { rollbacksFail } from "./Rollback.ts"

/**
 * A statement that belongs to no account, in a transaction and so on a connection to itself. Statements that
 * share a connection cannot be interrupted: when the way to the server is cut without a word, their answers
 * stay awaited, and no transaction that is given this connection ever begins.
 */
export const apart = <A, E, R>(
  statement: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => rollbacksFail(sql.withTransaction(statement)))
