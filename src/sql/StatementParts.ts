/* Writes several parts with one statement, and so in one round trip. */
import { Context, Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"

/** `name as (insert …)`. A part does not see the rows that other parts of the statement write. */
export type Part = Statement.Fragment

/** The parts that wait for the end of {@link inOneStatement}; null outside `inOneStatement`. */
const Waiting = Context.Reference<Array<Part> | null>("sextant/sql/StatementParts/Waiting", {
  defaultValue: () => null
})

type DatabaseWrite = Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>

const run = (parts: ReadonlyArray<Part>): DatabaseWrite =>
  parts.length === 0
    ? Effect.void
    : SqlClient.SqlClient.use((sql) => Effect.asVoid(sql`with ${sql.csv(parts)} select 1 as one`))

/** Writes parts with different names at once; inside {@link inOneStatement}, writes them at its end. */
export const writeParts = (parts: ReadonlyArray<Part>): DatabaseWrite =>
  Effect.flatMap(Waiting, (waiting) =>
    waiting === null ? run(parts) : Effect.sync(() => void waiting.push(...parts)))

/** Does the work, and then writes, with one statement, all parts that the work gave to {@link writeParts}. */
export const inOneStatement = <A, E, R>(
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.suspend(() => {
    const waiting: Array<Part> = []
    return Effect.tap(Effect.provideService(work, Waiting, waiting), () => run(waiting))
  })
