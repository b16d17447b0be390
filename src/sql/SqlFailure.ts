/** Classifies errors of the database's driver as reasons of a port's failure. */
import { Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as Reason from "../resilience/FailureReason.ts"
import { codeOf, isRefusal, sqlErrorIn } from "./Transient.ts"

/** PostgreSQL's error class 53: disk full, out of memory, or too many connections. */
const isExhaustion = (code: string): boolean => code.startsWith("53")
/** PostgreSQL's error codes of a server that starts, or that has ended the session. */
const isShutdown = (code: string): boolean => /^57P0[1-5]$/.test(code)

const reasonOfSqlError = (error: SqlError.SqlError): Reason.FailureReason => {
  switch (error.reason._tag) {
    case "ConnectionError":
      return new Reason.Unreachable({ cause: error })
    case "AuthenticationError":
    case "AuthorizationError":
      return new Reason.Unauthorized({ cause: error })
    case "DeadlockError":
    case "SerializationError":
      return new Reason.Conflict({ cause: error })
    case "LockTimeoutError":
    case "StatementTimeoutError":
      return new Reason.TimedOut({ cause: error })
    case "ConstraintError":
    case "UniqueViolation":
      return new Reason.Rejected({ cause: error })
    case "SqlSyntaxError":
    case "UnknownError": {
      const code = codeOf(error)
      if (isExhaustion(code)) return new Reason.Exhausted({ cause: error })
      if (isShutdown(code)) return new Reason.Unreachable({ cause: error })
      return new Reason.Unclassified({ cause: error })
    }
  }
}

/** `Rejected` if any cause says that the database refused a value; `Unusable` if rows cannot be decoded. */
export const reasonOf = (error: unknown): Reason.FailureReason => {
  if (isRefusal(error)) return new Reason.Rejected({ cause: error })
  const sqlError = sqlErrorIn(error)
  if (sqlError !== null) return reasonOfSqlError(sqlError)
  return Schema.isSchemaError(error)
    ? new Reason.Unusable({ cause: error })
    : new Reason.Unclassified({ cause: error })
}
