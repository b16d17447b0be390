import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findBinaries, oldestVersion, startCluster } from "./PostgresCluster.ts"

/** The server of DATABASE_URL, or a throwaway cluster when its binaries are here, or none. */
const openServer = async (): Promise<() => Promise<void> | void> => {
  const given = process.env["DATABASE_URL"]
  if (given !== undefined && given !== "") {
    process.env["SEXTANT_TEST_DATABASE_URL"] = given
    return () => {}
  }
  const binaries = findBinaries()
  if (binaries === null) {
    console.warn(`No DATABASE_URL and no PostgreSQL ${oldestVersion}+ here: its suites are skipped`)
    return () => {}
  }
  const { stop, url } = await startCluster(binaries)
  process.env["SEXTANT_TEST_DATABASE_URL"] = url
  return stop
}

/** An embedded database at the current schema, for suites to copy. */
const prepareDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), "sextant-unused-"))
  const { HOME = "", PATH = "" } = process.env
  execFileSync(process.execPath, ["--no-memory-protection-keys", "src/cli.ts", "migrate"], {
    cwd: new URL("../..", import.meta.url), env: { HOME, PATH, SEXTANT_DATA_DIR: directory }, stdio: "pipe"
  })
  process.env["SEXTANT_TEST_DATA_DIRECTORY"] = directory
  return () => rmSync(directory, { recursive: true, force: true })
}

/**
 * Gives the tests a PostgreSQL server through SEXTANT_TEST_DATABASE_URL, without which the suites that need it
 * are skipped, and an unused data directory through SEXTANT_TEST_DATA_DIRECTORY.
 */
export const setup = async (): Promise<() => Promise<void> | void> => {
  // Each of vitest's projects asks for it, and what the first made serves them all.
  if (process.env["SEXTANT_TEST_DATA_DIRECTORY"] !== undefined) return () => {}
  const remove = prepareDirectory()
  const stop = await openServer()
  return async () => {
    remove()
    await stop()
  }
}
