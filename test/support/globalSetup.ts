import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerEmbedded } from "../../src/postgres/embedded/EmbeddedDatabase.ts"
import { openEmbedded } from "../../src/postgres/embedded/EmbeddedPostgres.ts"
import { layerPostgres } from "../../src/sql/Database.ts"
import { copyDirectory, onServer, templateVariable } from "./Databases.ts"
import { databasesFolder } from "./databasesFolder.ts"
import { oldestVersion, openServer } from "./PostgresCluster.ts"
import { bundleProgram, programVariable } from "./program.ts"
import { folderVariable } from "./temporaryFolder.ts"

/** Data directories at the current schema: one for suites to copy, and a running one for them to share. */
const openEmbeddedServer = async () => {
  const folder = mkdtempSync(join(databasesFolder, "sextant-embedded-"))
  const [unused, shared] = [join(folder, "unused"), join(folder, "shared")]
  await Effect.runPromise(Layer.build(layerEmbedded(unused)).pipe(Effect.scoped))
  mkdirSync(shared, { mode: 0o700 })
  copyDirectory(unused, shared)
  const scope = Scope.makeUnsafe()
  const { socketPath } = await Effect.runPromise(Scope.provide(openEmbedded(shared), scope))
  process.env["SEXTANT_TEST_DATA_DIRECTORY"] = unused
  process.env["SEXTANT_TEST_EMBEDDED_SOCKET"] = socketPath
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes the migrated database that suites copy; yields a function that drops it. */
const makeTemplate = async (server: string) => {
  const name = `sextant_test_${randomBytes(6).toString("hex")}`
  const url = new URL(server)
  url.pathname = `/${name}`
  await Effect.runPromise(Effect.andThen(
    onServer(server, `create database ${name}`),
    Effect.scoped(Layer.build(layerPostgres(Redacted.make(url.href))))
  ))
  process.env[templateVariable] = name
  return () => Effect.runPromise(onServer(server, `drop database ${name}`))
}

/**
 * Prepares a run of tests. It starts a PostgreSQL server (SEXTANT_TEST_DATABASE_URL), without which suites that need it
 * are skipped, and an embedded one (SEXTANT_TEST_EMBEDDED_SOCKET). It makes an unused data directory
 * (SEXTANT_TEST_DATA_DIRECTORY), a bundle of the command line and a folder for temporary ones.
 */
export const setup = async (): Promise<() => Promise<void>> => {
  // Each of vitest's projects calls this, and the first call serves them all.
  if (process.env["SEXTANT_TEST_DATA_DIRECTORY"] !== undefined) return async () => {}
  // Workers and the processes that tests start share compiled code: a start of the service takes a third less CPU time.
  process.env["NODE_COMPILE_CACHE"] ??= new URL("../../node_modules/.cache/tests", import.meta.url).pathname
  const folder = process.env[folderVariable] = mkdtempSync(join(tmpdir(), "sextant-tests-"))
  process.env[programVariable] = await bundleProgram()
  const stopEmbedded = await openEmbeddedServer()
  const server = await openServer()
  const dropTemplate = server === null ? null : await makeTemplate(server.url)
  if (server !== null) process.env["SEXTANT_TEST_DATABASE_URL"] = server.url
  else console.warn(`No DATABASE_URL and no PostgreSQL ${oldestVersion}+ here: its suites are skipped`)
  return async () => {
    await stopEmbedded()
    await dropTemplate?.()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
