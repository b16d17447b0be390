import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { copyFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "../support/Databases.ts"
import { runToEnd, spawnCommand } from "../support/Service.ts"

/** `launch.ts` beside a command line `main.ts`, which prints how it was started, or waits for a signal. */
const launcher = Effect.map(temporaryDirectory, (folder) => {
  copyFileSync(new URL("../../src/cli/launch.ts", import.meta.url), join(folder, "launch.ts"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(join(folder, "main.ts"), `
    const [, , command, code] = process.argv
    if (command === "wait") {
      process.on("SIGTERM", () => { console.log("stopped"); process.exit(0) })
      setInterval(() => {}, 1000)
    } else process.exitCode = Number(code ?? 0)
    console.log(JSON.stringify({ flags: process.execArgv, command, isChild: process.ppid !== ${process.pid} }))
  `)
  return join(folder, "launch.ts")
})

describe("the program that npm puts on the path", () => {
  it.live("runs the command line in this process, with the flags that it was given", () =>
    Effect.gen(function*() {
      const launch = yield* launcher
      for (const flags of [[], ["--stack-trace-limit=5"]]) {
        const { code, stderr, stdout } = yield* runToEnd(process.execPath, [...flags, launch, "serve", "3"], {})
        const said: unknown = JSON.parse(stdout)
        assert.deepStrictEqual(said, { flags, command: "serve", isChild: false }, stderr)
        assert.strictEqual(code, 3)
      }
    }), 60_000)

  it.live("forwards a signal, and exits with the code of the command line", () =>
    Effect.gen(function*() {
      const { exitCode, kill, stdout } = yield* spawnCommand(process.execPath, [yield* launcher, "wait"], {})
      yield* Effect.sync(stdout).pipe(
        Effect.repeat({ until: (said: string) => said.includes("wait"), schedule: Schedule.spaced("20 millis") })
      )
      yield* kill("SIGTERM")
      assert.strictEqual(yield* exitCode, 0)
      assert.include(stdout(), "stopped")
    }), 60_000)
})
