import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { dataDirectory } from "../support/Databases.ts"
import { sendRequest, awaitReady, ServiceFailed } from "../support/Service.ts"

const root = new URL("../..", import.meta.url).pathname

/** What npm runs, in a process group of its own, so that nothing of it outlives the test. */
const npmRun = (script: string, environment: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("npm", ["run", script], {
        cwd: root,
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true
      })
      const said = { stdout: "", stderr: "" }
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => said.stdout += chunk)
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => said.stderr += chunk)
      return { child, stdout: () => said.stdout, stderr: () => said.stderr, pid: child.pid ?? 0 }
    }),
    ({ pid }) =>
      Effect.ignore(Effect.try({
        try: () => process.kill(-pid, "SIGKILL"),
        // As it should be: nobody is left.
        catch: (cause) => new ServiceFailed({ message: String(cause) })
      }))
  )

/** Stops npm, and waits for the end of all that holds its output, not of npm alone. */
const stopped = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    child.once("close", () => resume(Effect.void))
    child.kill("SIGTERM")
  }).pipe(Effect.timeoutOrElse({
    duration: "20 seconds",
    orElse: () => new ServiceFailed({ message: "npm was stopped, and left behind what it ran" })
  }))

describe("a service that npm runs", () => {
  it.live.each(["start", "memory"])("ends with npm: %s", (script) =>
    Effect.gen(function*() {
      const { child, pid, stderr, stdout } = yield* npmRun(script, {
        PORT: "0",
        SEXTANT_CATALOG_REFRESH: "off",
        SEXTANT_DATA_DIR: yield* dataDirectory
      })
      const baseUrl = yield* awaitReady({
        child, stderr, stdout, pid, kill: () => Effect.void, exitCode: Effect.succeed(null)
      })
      yield* stopped(child)
      const answer = yield* Effect.result(sendRequest({ baseUrl, key: "" }, "/livez"))
      assert.strictEqual(answer._tag, "Failure")
    }), 120_000)
})
