import { execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const versionsDirectory = "/usr/lib/postgresql"
export const oldestVersion = 15

/** Where the newest server's binaries are, or null. */
export const findBinaries = (): string | null => {
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

export interface Cluster {
  readonly url: string
  readonly port: number
  /** Kills the server and all its children with SIGKILL, as a lost machine would. */
  readonly kill: () => void
  /** Starts it again after `kill`, and returns once it takes connections. */
  readonly start: () => void
  readonly stop: () => Promise<void>
}

/** The processes whose parent is this one. */
const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((each) => {
    try {
      // The command's name, which may hold anything, is in brackets; the parent stands second after them.
      return Number(readFileSync(`/proc/${each}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]) === pid
    } catch {
      return false // It has ended meanwhile.
    }
  })

/** Whether a process still runs; one that has ended and that nobody has asked for does not. */
const isRunning = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.startsWith("Z") === false
  } catch {
    return false
  }
}

/** A throwaway cluster of its own directory and port. */
export const startCluster = async (binaries: string): Promise<Cluster> => {
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
  const start = () => run(control, ["-D", data, "-w", "-l", join(directory, "log"), "-o", options, "start"])
  start()
  return {
    port,
    start,
    kill: () => {
      const lock = join(data, "postmaster.pid")
      const pid = Number(readFileSync(lock, "utf8").split("\n", 1)[0])
      const all = [pid, ...childrenOf(pid)]
      for (const each of all) {
        try {
          process.kill(each, "SIGKILL")
        } catch { /* gone with its parent */ }
      }
      while (all.some(isRunning)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      // A machine that was lost comes back with other processes; here the old one may stay as a zombie.
      rmSync(lock, { force: true })
    },
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () =>
      new Promise((resolve) => {
        guardian.once("exit", () => resolve())
        guardian.stdin.end()
      })
  }
}
