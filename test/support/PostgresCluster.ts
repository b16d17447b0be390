import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { databasesFolder } from "./databasesFolder.ts"

/* Throwaway PostgreSQL servers. They end with the process that started them, even if that process is killed. */

const versionsDirectory = "/usr/lib/postgresql"
export const oldestVersion = 15

/** The folder of the newest server's programs, or null without a version of at least {@link oldestVersion}. */
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
 * A process that stops and removes the server when its standard input ends. The input also ends when the test process
 * is killed, which the server would otherwise outlive.
 */
const guard = (control: string, data: string) => {
  const script = 'cat; "$0" -D "$1" -m immediate stop; rm -rf "$(dirname "$1")"'
  return spawn(...asServerUser("sh", ["-c", script, control, data]), {
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    detached: true
  })
}

/** Yields the port if this machine can listen on it, else null. */
const tryPort = (port: number) =>
  new Promise<number | null>((resolve) => {
    const server = createServer().once("error", () => resolve(null))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(port)))
  })

/**
 * A port from 15,000 to 29,999 that is free now. The system gives clients ports from 32,768, so that no client takes
 * this one while its server is stopped for a moment.
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
  /** Starts the server again on the same port, after {@link Cluster.kill} or {@link Cluster.halt}. */
  readonly start: () => void
  /** Shuts the server down in order, as an operator does. */
  readonly halt: () => void
  /** Kills the postmaster and its processes with SIGKILL, as a failing machine would. */
  readonly kill: () => Promise<void>
  /** Ends the server and removes its directory. */
  readonly stop: () => Promise<void>
}

export interface ClusterOptions {
  /** The folder in which the server's directory is made; by default {@link databasesFolder}. */
  readonly parent?: string
  /** Settings as `name=value`, in addition to those of every throwaway server. */
  readonly settings?: ReadonlyArray<string>
  /** Variables that the server gets in addition to this process's. */
  readonly environment?: Readonly<Record<string, string>>
  /** The primary, if the new server is to be its streaming replica. */
  readonly replicaOf?: Cluster
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").map(Number).filter((child) => child > 0)

/** True if a process runs. A zombie, which has ended but was not waited for, does not run. */
const isRunning = (pid: number): boolean => {
  try {
    // The state follows the command's name, which is in brackets and may have any characters.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.startsWith("Z") === false
  } catch {
    return false
  }
}

/** The variable with an unused data directory. To copy it takes a tenth of the time of `initdb`. */
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
      // The postmaster is stopped first: a process that it starts meanwhile would keep the next server from starting.
      process.kill(postmaster, "SIGSTOP")
      const all = [postmaster, ...childrenOf(postmaster)]
      for (const pid of all) if (isRunning(pid)) process.kill(pid, "SIGKILL")
      while (all.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 10))
      // The old postmaster may stay as a zombie, whose lock would keep the next server from starting.
      rmSync(lock, { force: true })
    },
    stop: () =>
      new Promise((resolve) => {
        guardian.once("exit", () => resolve())
        guardian.stdin.end()
      })
  }
}

/** The server of DATABASE_URL, or else a throwaway one, or null if its programs are not installed. */
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

/** A server that stops when the scope closes. Suites that use it are skipped if its programs are not installed. */
export const scopedCluster = (options: ClusterOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => startCluster(findBinaries() ?? "", options)),
    ({ stop }) => Effect.promise(stop)
  )
