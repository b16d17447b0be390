/* Finds the first process of a PostgreSQL server on this machine: a benchmark counts its processor time. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The lines of a data directory's lock file: the process first, and its port fourth. */
const lockIn = (directory: string): ReadonlyArray<string> => {
  const lock = join(directory, "postmaster.pid")
  return existsSync(lock) ? readFileSync(lock, "utf8").split("\n") : []
}

/** That of a server; null where it runs elsewhere, or its directory is not to be read. */
export const postmasterAt = async (url: string): Promise<number | null> => {
  const { hostname, port } = new URL(url)
  const rows = await Effect.runPromise(SqlClient.SqlClient.use((sql) =>
    sql<{ readonly directory: string }>`select current_setting('data_directory') as directory`
  ).pipe(
    Effect.catchTag("SqlError", () => Effect.succeed([])),
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
  ))
  const [pid, , , listening] = lockIn(rows[0]?.directory ?? "")
  return ["127.0.0.1", "localhost"].includes(hostname) && listening === (port || "5432") ? Number(pid) : null
}

/** That of a data directory, while a service runs it. */
export const embeddedPostmaster = (dataDirectory: string): number | null => {
  const [pid] = lockIn(join(dataDirectory, "postgresql"))
  return pid === undefined ? null : Number(pid)
}
