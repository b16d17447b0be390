/* Transactions that fail with the error of their work, even if the connection died. */
import { Cause, Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"

/** Finds the SQL errors that a commit or a rollback on a dead connection raised as defects. */
const refusalsIn = (cause: Cause.Cause<unknown>): ReadonlyArray<SqlError.SqlError> =>
  cause.reasons.flatMap((reason) =>
    Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect) ? [reason.defect] : [])

/**
 * Runs the work in a transaction. On a dead connection, Effect's `withTransaction` turns the errors of the
 * commit or rollback into defects. `inTransaction` fails with the error of the work, or with the error of the
 * commit if the work succeeded.
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
