/* A deadline for the statements of a transaction. */
import { SqlError } from "effect/sql"
import { deadline } from "../resilience/Deadline.ts"

/**
 * Fails when the statements are not answered within `ms`. When the network to the server is cut, the server's
 * own timeouts do not reach this process, and the connection itself closes only after `silentMs` of silence
 * (`IdleTimeoutStream`), which is too long for a request to wait.
 *
 * Use it around a whole transaction only: the effect runs on a fiber of its own.
 */
export const withStatementDeadline = (ms: number) =>
  deadline(ms, () =>
    new SqlError.SqlError({
      reason: new SqlError.StatementTimeoutError({
        message: `The database has not answered within ${ms} ms`,
        operation: "withStatementDeadline",
        cause: "StatementDeadline"
      })
    }))
