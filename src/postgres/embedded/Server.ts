/* Finds, starts and stops one PostgreSQL server. */
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { namedFrom, type ClusterPlace } from "./Cluster.ts"
import { attempt, codeOf, EmbeddedUnavailable, unavailable } from "./EmbeddedFailure.ts"
import { embeddedSettings, serverSettings } from "./EmbeddedSettings.ts"
import { commandOf, explain } from "./Programs.ts"
import { logTail, withLog } from "./ServerLog.ts"
import { answers, isRunning, readPidFile, serversOf, worksIn } from "./ServerProcess.ts"

const { killMs, orphanMs, pollMs, readyMs, stopAtOnceMs, stopMs } = embeddedSettings

/** Pauses in real time, even under the clock of a test, because another process needs real time. */
export const pause = (ms: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })

/** Calls `look` again and again, for at most `ms`, until its result is not null. Yields the last result. */
export const within = <A>(ms: number, look: () => A | null): Effect.Effect<A | null> =>
  Effect.gen(function*() {
    const deadline = performance.now() + ms
    for (;;) {
      const found = look()
      if (found !== null || performance.now() > deadline) return found
      yield* pause(pollMs)
    }
  })

/** A running server. `isVisible` is false if the server's process cannot be seen, as in another container. */
export interface RunningServer {
  readonly pid: number
  readonly isVisible: boolean
}

export const isAlive = ({ cluster }: ClusterPlace, { isVisible, pid }: RunningServer, socketPath: string) =>
  isVisible ? Effect.sync(() => worksIn(pid, cluster)) : Effect.promise(() => answers(socketPath))

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error // ESRCH: the process has ended by itself.
  }
}

/** Finds the server that the pid file names, and waits until it is ready; null if no such server is seen. */
const named = (place: ClusterPlace): Effect.Effect<RunningServer | null, EmbeddedUnavailable> =>
  Effect.gen(function*() {
    const { cluster } = place
    const found = yield* within(readyMs, () => {
      const file = readPidFile(cluster)
      if (file === null || !worksIn(file.pid, cluster)) return "none"
      return file.status === "ready" ? file.pid : null
    })
    if (found === null) return yield* unavailable(`PostgreSQL on ${cluster} neither becomes ready nor stops`)
    return found === "none" ? null : { pid: found, isVisible: true }
  })

/** Server processes without their main process hold shared memory, which blocks a new server. */
const endOrphans = ({ cluster }: ClusterPlace) =>
  Effect.gen(function*() {
    const areGone = within(orphanMs, () => serversOf(cluster).length === 0 ? true : null)
    if ((yield* areGone) !== null) return
    for (const pid of serversOf(cluster)) signal(pid, "SIGKILL")
    yield* areGone
  })

/** Files of a killed server that stop a new server if another process has the killed server's pid. */
const leftovers = ["postmaster.pid", ".s.PGSQL.5432.lock", ".s.PGSQL.5432"]

/** Finds the running server of a cluster. If no server runs, removes the files that a dead server left. */
export const findServer = (place: ClusterPlace, socketPath: string) =>
  Effect.gen(function*() {
    const { cluster } = place
    const server = yield* named(place)
    if (server !== null) return server
    const file = readPidFile(cluster)
    if (file === null) return null
    if (yield* Effect.promise(() => answers(socketPath))) {
      return { pid: file.pid, isVisible: worksIn(file.pid, cluster) }
    }
    yield* endOrphans(place)
    if (isRunning(file.pid)) {
      const what = `a postmaster.pid of ${cluster} that named process ${file.pid}`
      yield* Effect.logWarning(`Removed ${what}, which is another program's`)
    }
    yield* attempt(`${cluster} cannot be written`, () => {
      for (const name of leftovers) rmSync(join(cluster, name), { force: true })
    })
    return null
  })

interface ServerChild {
  readonly process: ChildProcess
  readonly ended: () => string | null
}

const spawnServer = (place: ClusterPlace): ServerChild => {
  const { cluster, programs, who } = place
  const { file, options } = commandOf(programs, "postgres", who)
  const settings = Object.entries(serverSettings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const child = withLog(place, (log) => spawn(file, ["-D", namedFrom(cluster), ...settings], {
    ...options,
    cwd: cluster,
    // A new session, because Ctrl-C in a terminal must not end the server before the service has drained.
    detached: true,
    stdio: ["ignore", log, log]
  }))
  let ended: string | null = null
  child.once("error", (error) => ended = `${explain(programs)} (${error.message})`)
  child.once("exit", (code, name) => ended = `PostgreSQL ended with ${code ?? name}`)
  // The server may outlive this process, because other processes may use it.
  child.unref()
  return { process: child, ended: () => ended }
}

/** Starts a server, and stops it again if it is not ready in time or the start is interrupted. */
export const startServer = (place: ClusterPlace): Effect.Effect<RunningServer, EmbeddedUnavailable> =>
  Effect.gen(function*() {
    const problem = `${place.directory} cannot be written`
    const { ended, process } = yield* attempt(problem, () => spawnServer(place))
    const give = Effect.andThen(
      Effect.sync(() => process.kill("SIGQUIT")),
      within(stopAtOnceMs, ended)
    )
    const state = yield* within(readyMs, () => {
      if (ended() !== null) return "ended"
      const file = readPidFile(place.cluster)
      return file !== null && file.pid === process.pid && file.status === "ready" ? file.pid : null
    }).pipe(Effect.onInterrupt(() => give))
    if (state === "ended") return yield* unavailable(`${ended()}: ${logTail(place)}`)
    if (state !== null) return { pid: state, isVisible: true }
    yield* give
    return yield* unavailable(`PostgreSQL was not ready within ${readyMs} ms: ${logTail(place)}`)
  })

/** Stops the server: tries an orderly stop, then an immediate stop, and finally a kill. */
export const stopServer = ({ cluster }: { readonly cluster: string }) =>
  Effect.gen(function*() {
    const file = readPidFile(cluster)
    if (file === null || !worksIn(file.pid, cluster)) return
    for (const [name, ms] of [["SIGINT", stopMs], ["SIGQUIT", stopAtOnceMs], ["SIGKILL", killMs]] as const) {
      signal(file.pid, name)
      if ((yield* within(ms, () => worksIn(file.pid, cluster) ? null : true)) !== null) return
    }
  })
