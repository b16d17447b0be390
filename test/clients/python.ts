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

/** Runs Python in the folder of the client, without what it would write beside the sources; yields what it said. */
export const runPython = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  directory = pythonClient
) =>
  Effect.scoped(Effect.gen(function*() {
    const process = yield* spawnCommand(
      python ?? "python3",
      args,
      { PYTHONDONTWRITEBYTECODE: "1", PYTHONPATH: pythonClient, ...environment },
      directory
    )
    const code = yield* process.exitCode
    return { code, stdout: process.stdout(), stderr: process.stderr() }
  }))
