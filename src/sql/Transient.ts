/* Sorts SQL errors by their remedy: run again, refuse the values, or correct the configuration. */
import { Effect, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { databaseSettings } from "./DatabaseSettings.ts"

const causesMax = 8

const sqlErrorsIn = (error: unknown, depth = 0): ReadonlyArray<SqlError.SqlError> => {
  if (depth > causesMax || typeof error !== "object" || error === null) return []
  return [
    ...(SqlError.isSqlError(error) ? [error] : []),
    ...("cause" in error ? sqlErrorsIn(error.cause, depth + 1) : []),
    ...("error" in error ? sqlErrorsIn(error.error, depth + 1) : [])
  ]
}

export const sqlErrorIn = (error: unknown): SqlError.SqlError | null => sqlErrorsIn(error)[0] ?? null

export const transientIn = (error: unknown): SqlError.SqlError | null =>
  sqlErrorsIn(error).find(({ reason }) =>
    reason._tag === "DeadlockError" || reason._tag === "SerializationError") ?? null

/** True for a deadlock or a serialization failure, after which a repeated transaction may succeed. */
export const isTransient = (error: unknown): boolean => transientIn(error) !== null

/** Returns the error's code, five characters for an error of PostgreSQL; an empty text if there is none. */
export const codeOf = ({ reason: { cause } }: SqlError.SqlError): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : ""

/** True if a value does not fit its type (class 22) or violates a constraint (class 23). */
export const isRefusal = (error: unknown): boolean =>
  sqlErrorsIn(error).some((sqlError) => /^2[23]/.test(codeOf(sqlError)))

/** True if the login is refused or the database does not exist. */
export const isMisconfigured = (error: unknown): boolean =>
  sqlErrorsIn(error).some((sqlError) =>
    sqlError.reason._tag === "AuthenticationError" || codeOf(sqlError) === "3D000")

/** Repeats a whole transaction after transient failures, with pauses. */
export const retryTransient = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, {
    schedule: Schedule.jittered(Schedule.exponential(databaseSettings.transientPauseMs)),
    times: databaseSettings.transientRetriesMax,
    while: isTransient
  })
