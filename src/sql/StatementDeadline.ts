import { SqlError } from "effect/sql"
import { deadline } from "../resilience/Deadline.ts"

/**
 * Fails when the statements have not been answered after so many milliseconds. Where the way to the server
 * was cut without a word, the server's own timeouts reach nobody, and the connection ends only when it has
 * been silent for long enough (`AnsweredStream`), which nobody waits for here.
 *
 * Only around a whole transaction: it runs on a fiber of its own.
 */
export const withStatementDeadline = (ms: number) =>
  deadline(ms, () =>
    new SqlError.SqlError({
      reason: new SqlError.ConnectionError({
        message: `The database has not answered within ${ms} ms`,
        operation: "answeredWithin",
        cause: "Answered"
      })
    }))
