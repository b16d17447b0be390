import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { databasesFolder } from "./databasesFolder.ts"

/** Throwaway PostgreSQL servers, which end with the process that starts them, however that ends. */

const versionsDirectory = "/usr/lib/postgresql"
export const oldestVersion = 15

/** Where the newest server's programs are, or null where there is none that is new enough. */
export const findBinaries = (): string | null => {
  const versions = existsSync(versionsDirectory) ? readdirSync(versionsDirectory) : []
  const [newest] = versions.map(Number).filter((version) => version >= oldestVersion).sort((a, b) => b - a)
  return newest === undefined ? null : join(versionsDirectory, String(newest), "bin")
}

const isRoot = process.getuid?.() === 0

/** The server refuses to run as root, so root borrows the user that the package made. */
const asServerUser = (command: string, args: ReadonlyArray<string>): [string, ReadonlyArray<string>] =>
  isRoot ? ["runuser", ["-u", "postgres", "--", command, ...args]] : [command, args]

const run = (command: string, args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) =>
  execFileSync(...asServerUser(command, args), { stdio: "ignore", cwd: "/", env: { ...process.env, ...environment } })

/**
 * Stops and removes the server when its input ends, which it also does when the test process is killed: a
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

/** Whether a port of this machine can be listened on; yields it, or null. */
const tryPort = (port: number) =>
  new Promise<number | null>((resolve) => {
    const server = createServer().once("error", () => resolve(null))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(port)))
  })

/**
 * A port that is free now. It lies below those that the system gives to clients (from 32768 on), one of which
 * could otherwise take it while a server that stopped for a moment is away.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = await tryPort(15_000 + Math.floor(Math.random() * 15_000))
    if (port !== null) return port
  }
}

export interface Cluster {
  readonly url: string
  readonly port: number
  /** Starts it again after {@link Cluster.kill} or {@link Cluster.halt}, on the same port. */
  readonly start: () => void
  /** Ends it in order, as an operator does. */
  readonly halt: () => void
  /** SIGKILL to the postmaster and to every process of it, as a machine's failing would be. */
  readonly kill: () => Promise<void>
  /** Ends it and removes its directory. */
  readonly stop: () => Promise<void>
}

export interface ClusterOptions {
  /** Where its directory lies; by default among the temporary ones. */
  readonly parent?: string
  /** `name=value`, beside what every throwaway server has. */
  readonly settings?: ReadonlyArray<string>
  /** What the server finds in its environment, beside our own. */
  readonly environment?: Readonly<Record<string, string>>
  /** The server that this one is a streaming replica of. */
  readonly replicaOf?: Cluster
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").map(Number).filter((child) => child > 0)

/** Whether a process still runs; one that has ended and that nobody has asked how does not. */
const isRunning = (pid: number): boolean => {
  try {
    // The command's name, which may hold anything, is in brackets; the state stands first after them.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.startsWith("Z") === false
  } catch {
    return false
  }
}

/** Names a data directory in which no server has run: to copy it takes a tenth of the time of `initdb`. */
const unusedVariable = "SEXTANT_TEST_CLUSTER"

/** A directory that the server's user may write. */
const serverDirectory = (parent: string): string => {
  const directory = mkdtempSync(join(parent, "sextant-postgres-"))
  if (isRoot) {
    const postgres = Number(execFileSync("id", ["-u", "postgres"], { encoding: "utf8" }))
    chownSync(directory, postgres, postgres)
  }
  return directory
}

const initialise = (binaries: string, data: string) => {
  const unused = process.env[unusedVariable]
  if (unused !== undefined) return run("cp", ["-a", unused, data])
  run(join(binaries, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"])
}

const startCluster = async (binaries: string, options: ClusterOptions = {}): Promise<Cluster> => {
  const directory = serverDirectory(options.parent ?? databasesFolder)
  const data = join(directory, "data")
  const control = join(binaries, "pg_ctl")
  const port = await freePort()
  if (options.replicaOf === undefined) {
    initialise(binaries, data)
  } else {
    const source = options.replicaOf.url
    // -R writes how to follow the primary; -c fast does not wait for its next checkpoint.
    run(join(binaries, "pg_basebackup"), ["-d", source, "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"])
  }
  const guardian = guard(control, data)
  const settings = [
    "listen_addresses=127.0.0.1", "unix_socket_directories=''", "max_connections=200",
    ...options.settings ?? []
  ]
  const start = () =>
    run(control, [
      "-D", data, "-w", "-l", join(directory, "log"), "-o", [`-p ${port}`, ...settings].join(" -c "), "start"
    ], options.environment)
  start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    start,
    halt: () => run(control, ["-D", data, "-w", "-m", "fast", "stop"]),
    kill: async () => {
      const lock = join(data, "postmaster.pid")
      const [first = ""] = readFileSync(lock, "utf8").split("\n")
      const postmaster = Number(first)
      // Held still first: a process that it starts meanwhile would keep the next server from starting.
      process.kill(postmaster, "SIGSTOP")
      const all = [postmaster, ...childrenOf(postmaster)]
      for (const pid of all) if (isRunning(pid)) process.kill(pid, "SIGKILL")
      while (all.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 10))
      // A machine that failed comes back with other processes; here the old one may stay as a zombie.
      rmSync(lock, { force: true })
    },
    stop: () =>
      new Promise((resolve) => {
        guardian.once("exit", () => resolve())
        guardian.stdin.end()
      })
  }
}

/** The server of DATABASE_URL, else a throwaway one; null where its programs are not here. */
export const openServer = async (): Promise<Pick<Cluster, "stop" | "url"> | null> => {
  const url = process.env["DATABASE_URL"] ?? ""
  if (url !== "") return { url, stop: async () => {} }
  const binaries = findBinaries()
  if (binaries === null) return null
  const unused = serverDirectory(databasesFolder)
  initialise(binaries, join(unused, "data"))
  process.env[unusedVariable] = join(unused, "data")
  const server = await startCluster(binaries)
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      rmSync(unused, { recursive: true, force: true })
    }
  }
}

/** A server that goes with the scope; for suites that are skipped where there are no programs. */
export const scopedCluster = (options: ClusterOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => startCluster(findBinaries() ?? "", options)),
    ({ stop }) => Effect.promise(stop)
  )
