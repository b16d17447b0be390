/* Transactions that fail as their work failed, also where the connection is dead. */
import { Cause, Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"

/** The SQL errors among a cause's defects: of a commit or a rollback on a dead connection. */
const refusalsIn = (cause: Cause.Cause<unknown>): ReadonlyArray<SqlError.SqlError> =>
  cause.reasons.flatMap((reason) =>
    Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect) ? [reason.defect] : [])

/**
 * Runs the work in a transaction. Where its rollback fails because the connection is dead, Effect reports the
 * failure of the work as a defect, beside that of the rollback. The server has rolled back already, so this
 * fails as the work did; where the work did not fail, with what the commit met.
 */
export const inTransaction = (sql: SqlClient.SqlClient) =>
<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.suspend(() => {
    let failed: Cause.Cause<E> | null = null
    const noted = Effect.tapCause(work, (cause) =>
      Effect.sync(() => {
        failed = cause
      }))
    return Effect.catchCause(sql.withTransaction(noted), (cause) => {
      const [refused] = refusalsIn(cause)
      if (refused === undefined) return Effect.failCause(cause)
      return failed === null ? Effect.fail(refused) : Effect.failCause(failed)
    })
  })
