/* The PostgreSQL of a data directory: started once, supervised, and shared by several processes. */
import { Effect, type Scope } from "effect"
import { join, resolve } from "node:path"
import { startStep } from "../../telemetry/StartSteps.ts"
import type { EmbeddedPostgres } from "../../sql/DatabaseServer.ts"
import { clusterIn, initialise, inspect, own, type ClusterPlace } from "./Cluster.ts"
import { inTurn, takeTurn, usersLock } from "./DirectoryLock.ts"
import { attempt, type EmbeddedUnavailable, unavailable } from "./EmbeddedFailure.ts"
import { embeddedSettings } from "./EmbeddedSettings.ts"
import { keepToOwner } from "./FileModes.ts"
import { identityFor } from "./Identity.ts"
import { installed, linked, reachable, versionOf } from "./Programs.ts"
import { findServer, isAlive, pause, type RunningServer, startServer } from "./Server.ts"
import { cutLog } from "./ServerLog.ts"
import { watchOver } from "./ServerWatch.ts"
import { openSocketPath, type SocketPath } from "./SocketPath.ts"
import { leave } from "./StopServer.ts"

const {
  logEveryMs, reminderMs, restartMs, restartMsMax, steadyMs, watchMs
} = embeddedSettings

const placeOf = (given: string) =>
  Effect.gen(function*(): Effect.fn.Return<ClusterPlace, EmbeddedUnavailable> {
    const directory = resolve(given)
    const cluster = clusterIn(directory)
    yield* keepToOwner(directory)
    const who = identityFor(directory, cluster)
    const folder = join(directory, `programs-${process.arch}`)
    const useless = "PostgreSQL's programs cannot be used"
    const found = yield* attempt(useless, () => linked(installed(), folder))
    if (who === null) return { cluster, directory, programs: found, who }
    const { isCopied, programs } = yield* attempt(useless, () => reachable(found, who))
    if (isCopied) {
      yield* Effect.logInfo(`Copied PostgreSQL to ${programs.root}, where user ${who.uid} can run it`)
    }
    return { cluster, directory, programs, who }
  })

const rootsLine = ({ directory, who }: ClusterPlace) =>
  `PostgreSQL does not run as root: it runs as user ${who?.uid} on ${directory}`

/** Finds or starts the server. A missing cluster is made if `isFirst` is true, and else is an error. */
const ensure = (place: ClusterPlace, state: { socket: SocketPath | null }, isFirst: boolean) =>
  inTurn(place, Effect.gen(function*() {
    const { cluster } = place
    const found = yield* attempt(`${cluster} cannot be read`, () => inspect(place))
    if (found === "absent") {
      if (!isFirst) return yield* unavailable(`${cluster} has vanished: stop Sextant, and restore a backup`)
      const version = versionOf(place.programs)
      yield* startStep(`Making a database of PostgreSQL ${version} in ${place.directory}`, initialise(place))
    }
    if (yield* attempt(`${cluster} cannot be given to user ${place.who?.uid}`, () => own(place))) {
      yield* Effect.logInfo(`Gave ${cluster} to user ${place.who?.uid}`)
    }
    const unopened = `${cluster} cannot be opened`
    const socket = state.socket ??= yield* attempt(unopened, () => openSocketPath(cluster))
    const running = yield* findServer(place, socket.path)
    if (running !== null) return { server: running, socket }
    if (isFirst && place.who !== null) yield* Effect.logInfo(rootsLine(place))
    const starting = startServer(place)
    return { server: isFirst ? yield* startStep("Starting PostgreSQL", starting) : yield* starting, socket }
  }))

/** Starts the server again if it has ended, with growing pauses if it ends soon after each start. */
const watch = (
  place: ClusterPlace,
  state: { socket: SocketPath | null; server: RunningServer }
): Effect.Effect<never> =>
  Effect.gen(function*() {
    let [sinceMs, logMs, saidMs] = [performance.now(), performance.now(), -Infinity]
    let [failures, endedPid] = [0, 0]
    for (;;) {
      yield* pause(watchMs)
      if (performance.now() - logMs > logEveryMs) {
        logMs = performance.now()
        yield* Effect.ignore(attempt("", () => cutLog(place)))
      }
      if (yield* isAlive(place, state.server, state.socket?.path ?? "")) continue
      if (endedPid !== state.server.pid) {
        endedPid = state.server.pid
        if (performance.now() - sinceMs > steadyMs) failures = 0
        yield* Effect.logError(`PostgreSQL (process ${endedPid}) has ended; starting it again`)
      }
      if (failures > 0) yield* pause(Math.min(restartMsMax, restartMs * 2 ** failures))
      failures++
      const outcome = yield* Effect.result(ensure(place, state, false))
      if (outcome._tag === "Success") {
        state.server = outcome.success.server
        sinceMs = performance.now()
        endedPid = 0
        yield* Effect.logInfo(`PostgreSQL is ready again (process ${state.server.pid})`)
      } else if (performance.now() - saidMs > reminderMs) {
        saidMs = performance.now()
        yield* Effect.logError("PostgreSQL cannot be started; trying again all the time", outcome.failure)
      }
    }
  })

/**
 * Makes the cluster and starts the server if needed, and supervises the server. When the scope closes, the
 * server is stopped, unless another process uses the data directory.
 */
export const openEmbedded = (
  dataDirectory: string
): Effect.Effect<EmbeddedPostgres, EmbeddedUnavailable, Scope.Scope> =>
  Effect.gen(function*() {
    const place = yield* placeOf(dataDirectory)
    const state: { socket: SocketPath | null } = { socket: null }
    yield* watchOver(place)
    yield* Effect.acquireRelease(
      takeTurn(place, usersLock, "shared"),
      (presence) =>
        Effect.sync(presence.release).pipe(
          Effect.andThen(leave(place)),
          Effect.ensuring(Effect.sync(() => state.socket?.close()))
        ),
      { interruptible: true }
    )
    const { server, socket } = yield* ensure(place, state, true)
    const watched = { socket, server }
    yield* Effect.forkScoped(watch(place, watched))
    return { socketPath: socket.path, pid: () => watched.server.pid }
  })
