import { Cause, Effect } from "effect"
import { SqlError } from "effect/sql"

/**
 * A transaction on a connection that has died fails with what its work met, and its rollback, which finds the
 * connection dead, with a defect beside it. The server has rolled back already, so the defect says nothing
 * new: here it is dropped, or, where it is all there is, the failure that it is.
 */
export const rollbacksFail = <A, E, R>(
  transaction: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.catchCause(transaction, (cause): Effect.Effect<never, E | SqlError.SqlError> => {
    const [refused] = cause.reasons.flatMap((reason) =>
      Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect) ? [reason.defect] : [])
    if (refused === undefined) return Effect.failCause(cause)
    const rest = cause.reasons.filter((reason) =>
      !(Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect)))
    return rest.length > 0 ? Effect.failCause(Cause.fromReasons(rest)) : Effect.fail(refused)
  })
