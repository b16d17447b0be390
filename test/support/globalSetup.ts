import { execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Gives the tests a PostgreSQL server through SEXTANT_TEST_DATABASE_URL: the one of DATABASE_URL, or a
 * throwaway cluster when the server's binaries are here, or none, and then the suites that need it are skipped.
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
const asServerUser = (command: string, args: ReadonlyArray<string>): [string, ReadonlyArray<string>] =>
  isRoot ? ["runuser", ["-u", "postgres", "--", command, ...args]] : [command, args]

const run = (command: string, args: ReadonlyArray<string>) =>
  execFileSync(...asServerUser(command, args), { stdio: "ignore", cwd: "/" })

/**
 * Stops and removes the cluster when its input ends, which it also does when the test process is killed: a
 * server would otherwise outlive it.
 */
const guard = (control: string, data: string) => {
  const script = 'cat; "$0" -D "$1" -m immediate stop; rm -rf "$(dirname "$1")"'
  return spawn(...asServerUser("sh", ["-c", script, control, data]), {
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    detached: true
  })
}

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(address)
      )
    })
  })

interface Cluster {
  readonly url: string
  readonly stop: () => Promise<void>
}

const startCluster = async (binaries: string): Promise<Cluster> => {
  const directory = mkdtempSync(join(tmpdir(), "sextant-postgres-"))
  if (isRoot) {
    const postgres = Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" }))
    chownSync(directory, postgres, postgres)
  }
  const data = join(directory, "data")
  const control = join(binaries, "pg_ctl")
  const port = await freePort()
  run(join(binaries, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"])
  const guardian = guard(control, data)
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=''", "max_connections=200"]
  const options = [`-p ${port}`, ...settings].join(" -c ")
  run(control, ["-D", data, "-w", "-l", join(directory, "log"), "-o", options, "start"])
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () =>
      new Promise((resolve) => {
        guardian.once("exit", () => resolve())
        guardian.stdin.end()
      })
  }
}

export const setup = async (): Promise<() => Promise<void> | void> => {
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
