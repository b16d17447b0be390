import { PgClient } from "@effect/sql-pg"
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerEmbedded } from "../../src/postgres/embedded/EmbeddedDatabase.ts"
import { openEmbedded } from "../../src/postgres/embedded/EmbeddedPostgres.ts"
import { layerCommands, layerPostgres, layerServing } from "../../src/sql/Database.ts"
import { DatabaseServer, onEmbedded } from "../../src/sql/DatabaseServer.ts"
import { clusterIn } from "../../src/postgres/embedded/Cluster.ts"
import { readPidFile, serversOf, worksIn } from "../../src/postgres/embedded/ServerProcess.ts"
import { databasesFolder } from "./databasesFolder.ts"

export type Engine = Layer.Layer<SqlClient.SqlClient, unknown>

/** Copies the content of a directory with modes and owners, because PostgreSQL refuses other ones. */
export const copyDirectory = (from: string, to: string) => execFileSync("cp", ["-a", `${from}/.`, to])

/** Ends a PostgreSQL that a killed service has left in a data directory. */
const endServer = async (directory: string) => {
  const cluster = clusterIn(directory)
  const pid = readPidFile(cluster)?.pid
  if (pid === undefined || !worksIn(pid, cluster)) return
  process.kill(pid, "SIGQUIT")
  while (worksIn(pid, cluster)) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Waits up to 20 s until no server process of the data directory is left, and yields the ids of the rest. */
export const serversLeft = (directory: string) =>
  Effect.repeat(Effect.sync(() => serversOf(clusterIn(directory))), {
    until: (pids) => pids.length === 0, schedule: Schedule.spaced("50 millis"), times: 400
  })

const temporaryIn = (parent: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(parent, "sextant-test-"))),
    (directory) => Effect.promise(async () => {
      await endServer(directory)
      // The watcher of a killed process may still take a lock in the directory.
      rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    })
  )

/** A directory that goes with the scope, and with it a PostgreSQL that still runs in it. */
export const temporaryDirectory = temporaryIn(tmpdir())

/** A copy of a data directory in which no server runs. */
export const copiedDirectory = (from: string) =>
  Effect.tap(temporaryIn(databasesFolder), (directory) => Effect.sync(() => copyDirectory(from, directory)))

/** A data directory with an unused embedded database, copied because a new one takes a second to make. */
export const dataDirectory = Effect.suspend(() => {
  const unused = process.env["SEXTANT_TEST_DATA_DIRECTORY"]
  return unused === undefined ? temporaryIn(databasesFolder) : copiedDirectory(unused)
})

/** A {@link dataDirectory} whose PostgreSQL runs until the scope closes, so that no command starts and stops one. */
export const runningDirectory = Effect.tap(dataDirectory, openEmbedded)

/** An embedded database in a new directory, for suites without the shared server. */
const embeddedInDirectory: Engine = Layer.unwrap(Effect.map(dataDirectory, (directory) => layerEmbedded(directory)))

/** The layer with which a service reaches the PostgreSQL at a URL. */
export const layerPostgresServing = (url: Redacted.Redacted<string>, duty?: Parameters<typeof layerServing>[0]) =>
  layerServing(duty).pipe(Layer.provide(DatabaseServer.layerUrl(url)))

/** Runs a statement on the embedded server that the suites share. */
const onEmbeddedServer = (socketPath: string, statement: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({
      stream: () => connect(socketPath), username: "postgres", database: "template1", maxConnections: 1
    }))
  )

/** A new database at the current schema on the embedded server that the suites share. */
const freshOnEmbedded = (socketPath: string) =>
  Effect.acquireRelease(
    Effect.sync(() => `sextant_test_${randomBytes(6).toString("hex")}`).pipe(
      Effect.tap((name) => onEmbeddedServer(socketPath, `create database ${name} template postgres`))
    ),
    (name) => Effect.ignore(onEmbeddedServer(socketPath, `drop database ${name} with (force)`))
  )

/**
 * The embedded database. Suites share one server, with a database each, because a server for each suite would take half
 * a second of processor time. Its programs, settings and statements are those of a service.
 */
export const embedded: Engine = Layer.unwrap(Effect.gen(function*() {
  const socketPath = process.env["SEXTANT_TEST_EMBEDDED_SOCKET"]
  if (socketPath === undefined) return embeddedInDirectory
  const database = yield* freshOnEmbedded(socketPath)
  const server = { socketPath, pid: () => 0, cluster: "", version: "" }
  return layerCommands().pipe(Layer.provide(Layer.succeed(DatabaseServer, onEmbedded(server, database))))
}))

const serverUrl = process.env["SEXTANT_TEST_DATABASE_URL"] ?? null

/** Runs a statement on the server at a URL, and yields its rows. */
export const onServer = <Row extends object = object>(url: string, statement: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
  )

/** The variable with the name of globalSetup.ts's template: a database at the current schema that nobody connects to. */
export const templateVariable = "SEXTANT_TEST_DATABASE_TEMPLATE"

/** Name and address of a new database, empty or a copy of the template, which is dropped when the scope closes. */
export const freshDatabase = (server: string, template = "template1") =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const name = `sextant_test_${randomBytes(6).toString("hex")}`
      yield* onServer(server, `create database ${name} template ${template}`)
      const url = new URL(server)
      url.pathname = `/${name}`
      return { name, url: Redacted.make(url.href) }
    }),
    ({ name }) => Effect.ignore(onServer(server, `drop database ${name} with (force)`))
  )

/** A new database at the current schema on the test server, copied because a migration takes a third of a second. */
export const migratedDatabase = Effect.suspend(() => freshDatabase(serverUrl ?? "", process.env[templateVariable]))

/** A new role that owns the database and sees no row that a policy hides, and the address with its name. */
export const ordinaryOwner = ({ name, url }: { readonly name: string; readonly url: Redacted.Redacted<string> }) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const server = serverUrl ?? ""
      const owner = `${name}_owner`
      yield* onServer(server, `create role ${owner} login createrole`)
      yield* onServer(server, `alter database ${name} owner to ${owner}`)
      yield* onServer(Redacted.value(url), `grant all on schema public to ${owner}`)
      yield* Effect.ignore(onServer(server, `grant sextant_app, sextant_service to ${owner}`))
      const as = new URL(Redacted.value(url))
      as.username = owner
      return { owner, url: Redacted.make(as.href) }
    }),
    ({ owner }) =>
      onServer(Redacted.value(url), `drop owned by ${owner} cascade`).pipe(
        Effect.andThen(onServer(serverUrl ?? "", `alter database ${name} owner to postgres`)),
        Effect.andThen(onServer(serverUrl ?? "", `drop role ${owner}`)),
        Effect.ignore
      )
  )

/** A new database on the test server, or null without a server. */
export const postgres: Engine | null = serverUrl === null
  ? null
  : Layer.unwrap(Effect.map(migratedDatabase, ({ url }) => layerPostgres(url)))

/** The address of the test server, or null without one. */
export const postgresServer = serverUrl

/** Declares a suite on each engine. Without a PostgreSQL server its suite is shown as skipped. */
export const onEachEngine = (declare: (name: string, engine: Engine) => void) => {
  declare("on the embedded database", embedded)
  if (postgres === null) describe.skip("on PostgreSQL", () => it("has no server to run on", () => {}))
  else declare("on PostgreSQL", postgres)
}

/**
 * Declares a suite on one engine: PostgreSQL if the tests have a server, else the embedded database. The contracts of the
 * ports run on both engines, and other suites send the same statements.
 */
export const onOneEngine = (declare: (name: string, engine: Engine) => void) =>
  postgres === null ? declare("on the embedded database", embedded) : declare("on PostgreSQL", postgres)

/** Options of suites on the real clock, with time for the embedded database to start. */
export const slow = { excludeTestServices: true, timeout: "60 seconds" } as const
