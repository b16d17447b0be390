// Runs Python for tests, where the machine has one.
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { spawnCommand } from "../support/Service.ts"

/** The folder of the Python client. */
export const pythonClient = join(import.meta.dirname, "../../clients/python")

/** The machine's Python of 3.9 or newer; null without one. */
const python = ["python3", "python"].find((command) =>
  spawnSync(command, ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0) ?? null

/** A group of tests that need Python: skipped where there is none, which is printed. */
export const withPython = (title: string, tests: () => void): void => {
  if (python !== null) return void describe(title, tests)
  console.warn(`skipped, because there is no python3 of 3.9 or newer here: ${title}`)
  describe.skip(title, tests)
}

/** Starts Python in the folder of the client; it keeps its caches to itself. */
export const startPython = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  directory = pythonClient
) =>
  spawnCommand(
    python ?? "python3",
    args,
    { PYTHONDONTWRITEBYTECODE: "1", PYTHONPATH: pythonClient, ...environment },
    directory
  )

/** Runs Python to its end; yields its exit code and what it printed. */
export const runPython = (...given: Parameters<typeof startPython>) =>
  Effect.scoped(Effect.gen(function*() {
    const { exitCode, stderr, stdout } = yield* startPython(...given)
    const code = yield* exitCode
    return { code, stdout: stdout(), stderr: stderr() }
  }))
