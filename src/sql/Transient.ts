import { Effect, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { databaseSettings } from "./DatabaseSettings.ts"

const causesMax = 8

/** The SQL errors inside an error, at whatever depth of `cause` and `error`. */
const sqlErrorsIn = (error: unknown, depth = 0): ReadonlyArray<SqlError.SqlError> => {
  if (depth > causesMax || typeof error !== "object" || error === null) return []
  return [
    ...(SqlError.isSqlError(error) ? [error] : []),
    ...("cause" in error ? sqlErrorsIn(error.cause, depth + 1) : []),
    ...("error" in error ? sqlErrorsIn(error.error, depth + 1) : [])
  ]
}

/** The first SQL error inside an error, or null. */
export const sqlErrorIn = (error: unknown): SqlError.SqlError | null => sqlErrorsIn(error)[0] ?? null

/** The deadlock or serialization failure inside an error, or null. */
export const transientIn = (error: unknown): SqlError.SqlError | null =>
  sqlErrorsIn(error).find(({ reason }) =>
    reason._tag === "DeadlockError" || reason._tag === "SerializationError") ?? null

/** Whether the same transaction may pass when it is run again. */
export const isTransient = (error: unknown): boolean => transientIn(error) !== null

/** The five-character code of PostgreSQL's error; empty where there is none. */
export const codeOf = ({ reason: { cause } }: SqlError.SqlError): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : ""

/**
 * Whether the database refuses these very values, however often they are sent: a value that its type cannot
 * hold (class 22), or a constraint (class 23).
 */
export const isRefusal = (error: unknown): boolean =>
  sqlErrorsIn(error).some((sqlError) => /^2[23]/.test(codeOf(sqlError)))

/** Whether the address, the name or the password must be wrong: nothing that goes away by waiting. */
export const isMisconfigured = (error: unknown): boolean =>
  sqlErrorsIn(error).some((sqlError) =>
    sqlError.reason._tag === "AuthenticationError" || codeOf(sqlError) === "3D000")

/** Runs a transaction again, whole and with pauses, while {@link isTransient}; then fails as it did last. */
export const retryTransient = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, {
    schedule: Schedule.jittered(Schedule.exponential(databaseSettings.transientPauseMs)),
    times: databaseSettings.transientRetriesMax,
    while: isTransient
  })
