/* Reads a PostgreSQL server's processor time and connections while a load runs. */
import { PgClient } from "@effect/sql-pg"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** A look at a PostgreSQL server from beside the service. */
export interface Postgres {
  /** Its first process, if it runs on this machine and its directory can be read; null otherwise. */
  readonly postmaster: () => number | null
  /** Connections of services; null where only they may connect. */
  readonly clients: () => Promise<number | null>
  readonly close: () => Promise<void>
}

/** The process in the directory's lock file, if it listens on the port that we came by. */
const postmasterIn = (directory: string, { hostname, port }: URL): number | null => {
  const lock = join(directory, "postmaster.pid")
  if (!["127.0.0.1", "localhost"].includes(hostname) || !existsSync(lock)) return null
  const [pid, , , listening] = readFileSync(lock, "utf8").split("\n")
  return listening === (port || "5432") ? Number(pid) : null
}

/** Null where we may not ask for it. */
const directoryOf = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly directory: string }>`
    select current_setting('data_directory') as directory`
  return row?.directory ?? null
}).pipe(Effect.catchTag("SqlError", () => Effect.succeed(null)))

const clientsOf = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`select count(*)::int4 as count from pg_stat_activity
    where application_name like 'sextant%'`
  return row?.count ?? 0
})

export const beside = async (url: string): Promise<Postgres> => {
  const runtime = ManagedRuntime.make(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
  const directory = await runtime.runPromise(directoryOf)
  const postmaster = directory === null ? null : postmasterIn(directory, new URL(url))
  return {
    postmaster: () => postmaster,
    clients: () => runtime.runPromise(clientsOf),
    close: () => runtime.dispose()
  }
}

/** The embedded server of a data directory, which runs while a service does. */
export const besideEmbedded = (dataDirectory: string): Postgres => {
  const lock = join(dataDirectory, "postgresql", "postmaster.pid")
  return {
    postmaster: () => existsSync(lock) ? Number(readFileSync(lock, "utf8").split("\n")[0]) : null,
    clients: async () => null,
    close: async () => {}
  }
}
