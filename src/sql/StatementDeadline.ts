/* A deadline for the statements of a transaction. */
import { SqlError } from "effect/sql"
import { deadline } from "../resilience/Deadline.ts"

/**
 * Fails if the statements are not answered within `ms`. If the network is cut, the server's timeouts cannot
 * reach this process, and `silentMs` is too long for a request. Use it around a whole transaction, because it
 * runs the effect on another fiber.
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
