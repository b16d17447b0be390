import { PgClient } from "@effect/sql-pg"
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerEmbedded, layerPostgres } from "../../src/sql/Database.ts"

export type Engine = Layer.Layer<SqlClient.SqlClient, unknown>

/** A directory that goes with the scope. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sextant-test-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** A data directory with an embedded database that nobody has used; a new one takes seconds to come about. */
export const dataDirectory = Effect.tap(temporaryDirectory, (directory) =>
  Effect.sync(() => {
    const unused = process.env["SEXTANT_TEST_DATA_DIRECTORY"]
    if (unused !== undefined) cpSync(unused, directory, { recursive: true })
  }))

/** The embedded database in a directory of its own. It takes seconds to start: share one per file. */
export const embedded: Engine = Layer.unwrap(Effect.map(dataDirectory, layerEmbedded))

const serverUrl = process.env["SEXTANT_TEST_DATABASE_URL"] ?? null

/** Runs a statement there, and yields its rows. */
export const onServer = <Row extends object = object>(url: string, statement: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
  )

/** The address of a new, empty database that goes with the scope. */
export const freshDatabase = (server: string) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const name = `sextant_test_${randomBytes(6).toString("hex")}`
      yield* onServer(server, `create database ${name}`)
      const url = new URL(server)
      url.pathname = `/${name}`
      return { name, url: Redacted.make(url.href) }
    }),
    ({ name }) => Effect.ignore(onServer(server, `drop database ${name} with (force)`))
  )

/** PostgreSQL with a database of its own, or null where there is no server. */
export const postgres: Engine | null = serverUrl === null
  ? null
  : Layer.unwrap(Effect.map(freshDatabase(serverUrl), ({ url }) => layerPostgres(url)))

/** The address of the test server, or null. */
export const postgresServer = serverUrl

/** Declares a suite on each engine; where there is no PostgreSQL its suite is shown as skipped. */
export const onEachEngine = (declare: (name: string, engine: Engine) => void) => {
  declare("on the embedded database", embedded)
  if (postgres === null) describe.skip("on PostgreSQL", () => it("has no server to run on", () => {}))
  else declare("on PostgreSQL", postgres)
}

/** Real time, since drivers wait in it, and time for the embedded engine to start. */
export const slow = { excludeTestServices: true, timeout: "60 seconds" } as const
