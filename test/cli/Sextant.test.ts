import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { sources } from "../support/program.ts"
import { runToEnd } from "../support/Service.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const root = join(import.meta.dirname, "../..")

/** Runs `sextant <args>`; yields what it printed, and the files of the repository that it loaded. */
const run = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
  const preload = join(import.meta.dirname, "loadedModules.ts")
  const file = join(temporaryFolder(), "loaded")
  const { code, stderr, stdout } = yield* runToEnd(
    process.execPath, ["--import", preload, sources, ...args], { SEXTANT_LOADED_FILE: file }
  )
  const urls = readFileSync(file, "utf8").matchAll(/^file:\/\/(.*)$/gm)
  const loaded = [...urls].map(([, path = ""]) => path.replace(`${root}/`, ""))
  return { code, loaded, stdout, stderr }
})

/** Whether a file belongs to the service, or is otherwise dear to load. */
const isHeavy = (path: string): boolean =>
  /^src\/(?!cli\/|telemetry\/(log\/|StartSteps)|domain\/(text\/|Version\.ts))|SchemaJITCompiler|effect\/dist\/http-api/.test(path)

const words = [
  "serve", "ask", "memory", "keys", "account", "import", "observe", "backtest", "audition", "migrate", "retention", "backup",
  "restore", "doctor", "report", "statement", "verify-statement", "advise", "retire", "openapi"
]

describe("The command line", () => {
  it.live("loads no part of the service to print help or the version", () =>
    Effect.gen(function*() {
      for (const args of [["--help"], ["--version"], ["serve", "--help"]]) {
        const { code, loaded, stdout } = yield* run(...args)
        assert.strictEqual(code, 0, args.join(" "))
        assert.notStrictEqual(stdout, "")
        assert.include(loaded, "src/cli/Sextant.ts")
        assert.deepStrictEqual(loaded.filter(isHeavy), [])
        if (args[0] === "serve") {
          for (const name of ["8080", "PORT", "HOST", "DATABASE_URL", "SEXTANT_DATA_DIR"]) assert.include(stdout, name)
        }
        // 310 when this was written, a thousand with all commands.
        assert.isBelow(loaded.length, 400)
      }
    }))

  it.live("lists every command in its help, each with a description", () =>
    Effect.gen(function*() {
      const { stdout } = yield* run("--help")
      const listed = [...stdout.matchAll(/^ {2}([a-z][a-z-]+) {2,}\S.*$/gm)].map(([, name = ""]) => name)
      assert.deepStrictEqual(listed, words)
    }))

  it.live("loads a command that is named behind a global flag", () =>
    Effect.gen(function*() {
      const { code, loaded, stdout } = yield* run("--log-level", "warn", "openapi")
      assert.strictEqual(code, 0)
      assert.isTrue(loaded.some(isHeavy))
      assert.property(JSON.parse(stdout), "openapi")
    }))

  it.live("completes the flags of every command, although most are loaded only when they are named", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* run("--completions", "bash")
      assert.strictEqual(code, 0)
      for (const flag of ["--overlap", "--selection-policy", "--service-role", "--dry-run", "--since"]) {
        assert.include(stdout, flag)
      }
    }))

  it.live("says which variable is wrong if ask has no key, or no service answers it", () =>
    Effect.gen(function*() {
      const asks = (SEXTANT_KEY: string) =>
        runToEnd(process.execPath, [sources, "ask", "Sort names"], { SEXTANT_KEY, SEXTANT_URL: "http://127.0.0.1:9" })
      const { code, stderr } = yield* asks("")
      assert.strictEqual(code, 1)
      assert.match(stderr, /^Set SEXTANT_KEY to a key of the service at SEXTANT_URL/m)
      const unanswered = yield* asks("sxt_acme_k1_secret")
      assert.strictEqual(unanswered.code, 1)
      assert.match(unanswered.stderr, /^No service answers at http:\/\/127\.0\.0\.1:9; SEXTANT_URL/m)
    }))

  it.live("suggests the command that a misspelt word is near to", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* run("kyes", "list")
      assert.strictEqual(code, 1)
      assert.match(stderr, /Did you mean this\?\s+keys/)
    }))
})
