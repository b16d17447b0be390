/* Stops the server if this process is killed and therefore cannot stop it. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import type { ClusterPlace } from "./Cluster.ts"
import { attempt, type EmbeddedUnavailable } from "./EmbeddedFailure.ts"
import { withLog } from "./ServerLog.ts"
import { program } from "./StopServer.ts"

/** A shell script that waits for a line, and runs the given program if the pipe ends without a line. */
const script = "read -r left || exec \"$@\""

const shellFor = (place: ClusterPlace) =>
  withLog(place, (log) =>
    spawn("/bin/sh", ["-c", script, "sextant", process.execPath, program, place.directory], {
      cwd: "/",
      // A signal to the process group of this process must not end the shell.
      detached: true,
      stdio: ["pipe", log, log]
    }))

/** Yields the function that ends the shell. */
const begun = (child: ReturnType<typeof shellFor>) =>
  Effect.callback<() => void>((resume) => {
    child.once("spawn", () => {
      child.unref()
      // Writing to a shell that was killed raises an error.
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
 * Runs a shell that, if this process is killed, stops the server unless others use it: the kernel then closes
 * the pipe to the shell. The shell ends when the scope closes.
 */
export const watchOver = (place: ClusterPlace): Effect.Effect<void, EmbeddedUnavailable, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    Effect.flatMap(attempt(`${place.directory} cannot be written`, () => shellFor(place)), begun),
    (end) => Effect.sync(end)
  ))
