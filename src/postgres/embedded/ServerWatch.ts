/* Stops the server of a process that was killed, and so could not stop it. */
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { ClusterPlace } from "./Cluster.ts"

const suffix = import.meta.url.slice(import.meta.url.lastIndexOf("."))
const program = fileURLToPath(new URL(`./StopServer${suffix}`, import.meta.url))

/** Reads a line from the process that it watches. The kernel ends the pipe however that process ends. */
const script = "read -r left || exec \"$@\""

const start = ({ directory }: ClusterPlace) =>
  Effect.callback<() => void>((resume) => {
    const child = spawn("/bin/sh", ["-c", script, "sextant", process.execPath, program, directory], {
      cwd: "/",
      // What ends the group of this process must not end its watch.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"]
    })
    child.once("spawn", () => {
      child.unref()
      // A watch that was killed itself has no end of the pipe.
      child.stdin.once("error", () => {})
      resume(Effect.succeed(() => child.stdin.end("left\n")))
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
export const watchOver = (place: ClusterPlace): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(start(place), (end) => Effect.sync(end)))
