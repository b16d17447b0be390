import { execFileSync } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Gives the tests a PostgreSQL server through SEXTANT_TEST_DATABASE_URL: the one of DATABASE_URL, or a throwaway
 * cluster when the server's binaries are here, or none, and then the suites that need it are skipped.
 */
const versionsDirectory = "/usr/lib/postgresql"
const oldestVersion = 15

const findBinaries = (): string | null => {
  const versions = existsSync(versionsDirectory) ? readdirSync(versionsDirectory) : []
  const [newest] = versions.map(Number).filter((version) => version >= oldestVersion).sort((a, b) => b - a)
  return newest === undefined ? null : join(versionsDirectory, String(newest), "bin")
}

const isRoot = process.getuid?.() === 0

/** The server refuses to run as root, so root borrows the user that the package made. */
const run = (command: string, args: ReadonlyArray<string>) =>
  isRoot
    ? execFileSync("runuser", ["-u", "postgres", "--", command, ...args], { stdio: "ignore", cwd: "/" })
    : execFileSync(command, args, { stdio: "ignore" })

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => typeof address === "object" && address !== null ? resolve(address.port) : reject(address))
    })
  })

const startCluster = async (binaries: string): Promise<{ readonly url: string; readonly stop: () => void }> => {
  const directory = mkdtempSync(join(tmpdir(), "sextant-postgres-"))
  if (isRoot) {
    const postgres = Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" }))
    chownSync(directory, postgres, postgres)
  }
  const data = join(directory, "data")
  const port = await freePort()
  run(join(binaries, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"])
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=200`
  const control = join(binaries, "pg_ctl")
  run(control, ["-D", data, "-w", "-l", join(directory, "log"), "-o", options, "start"])
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => {
      run(control, ["-D", data, "-m", "immediate", "stop"])
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

export const setup = async (): Promise<() => void> => {
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
  const { url, stop } = await startCluster(binaries)
  process.env["SEXTANT_TEST_DATABASE_URL"] = url
  return stop
}
