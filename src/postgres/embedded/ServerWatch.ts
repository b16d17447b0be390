/* Stops the server of a process that was killed, and so could not stop it. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import type { ClusterPlace } from "./Cluster.ts"
import { attempt, type EmbeddedUnavailable } from "./EmbeddedFailure.ts"
import { withLog } from "./ServerLog.ts"
import { program } from "./StopServer.ts"

/** Reads a line from the process that it watches. The kernel ends the pipe however that process ends. */
const script = "read -r left || exec \"$@\""

/** A shell that does so, and after it the program; what that fails at is in the server's log. */
const shellFor = (place: ClusterPlace) =>
  withLog(place, (log) =>
    spawn("/bin/sh", ["-c", script, "sextant", process.execPath, program, place.directory], {
      cwd: "/",
      // What ends the group of this process must not end its watch.
      detached: true,
      stdio: ["pipe", log, log]
    }))

/** Yields what ends the watch, once that has begun. */
const begun = (child: ReturnType<typeof shellFor>) =>
  Effect.callback<() => void>((resume) => {
    child.once("spawn", () => {
      child.unref()
      // A watch that was killed itself has no end of the pipe.
      child.stdin?.once("error", () => {})
      resume(Effect.succeed(() => child.stdin?.end("left\n")))
    })
    child.once("error", (error) =>
      resume(Effect.as(
        Effect.logWarning("PostgreSQL outlives this process if it is killed: /bin/sh does not start", error),
        () => {}
      )))
  })

/**
 * Keeps a shell beside this process until the scope closes. When the process ends before, the shell becomes
 * the program that stops the server, unless another process uses the directory.
 */
export const watchOver = (place: ClusterPlace): Effect.Effect<void, EmbeddedUnavailable, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.flatMap(attempt(`${place.directory} cannot be written`, () => shellFor(place)), begun),
    (end) => Effect.sync(end)
  ))
