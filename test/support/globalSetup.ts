import { findBinaries, oldestVersion, startCluster } from "./PostgresCluster.ts"

/**
 * Gives the tests a PostgreSQL server through SEXTANT_TEST_DATABASE_URL: the one of DATABASE_URL, or a
 * throwaway cluster when the server's binaries are here, or none, and then the suites that need it are skipped.
 */
export const setup = async (): Promise<() => Promise<void> | void> => {
  // Each of vitest's projects asks for it, and one server serves them all.
  if (process.env["SEXTANT_TEST_DATABASE_URL"] !== undefined) return () => {}
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
