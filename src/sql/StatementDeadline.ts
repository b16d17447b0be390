/* A deadline for the statements of a transaction. */
import { SqlError } from "effect/sql"
import { deadline } from "../resilience/Deadline.ts"

/**
 * Fails if the statements are not answered within `ms`. The deadline also holds if the network is cut, when
 * the server's timeouts cannot reach this process. Put the deadline around a whole transaction, because
 * statements inside a deadline run on another fiber.
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
