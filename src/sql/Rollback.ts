/* Turns the defect of a rollback on a dead connection into a typed failure. */
import { Cause, Effect } from "effect"
import { SqlError } from "effect/sql"

/**
 * Runs a transaction whose rollback may fail because the connection is dead. Effect then reports the failure
 * of the work and, beside it, a defect of the rollback. The server has rolled back already, so the defect is
 * dropped; where it is the only reason, it becomes a failure.
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
