import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { dataDirectory } from "../support/Databases.ts"
import { finish } from "../support/Service.ts"

const cli = new URL("../../src/cli.ts", import.meta.url).pathname
/** `sextant <args>` with its defaults, in a folder that has a data directory. */
const sextantIn = (folder: string, args: ReadonlyArray<string>) =>
  finish("sh", ["-c", 'cd "$0" && exec "$@"', folder, process.execPath, "--no-memory-protection-keys", cli, ...args], {})

/** A folder with the data directory of a service that was started in it once. */
const home = Effect.tap(dataDirectory, (folder) =>
  Effect.sync(() => {
    const moved = `${folder}-moved`
    renameSync(folder, moved)
    mkdirSync(folder)
    renameSync(moved, join(folder, ".sextant"))
  }))

describe("commands without any variable", () => {
  it.live("work on the database of the service, and say so beside their answer", () =>
    Effect.gen(function*() {
      const folder = yield* home
      yield* sextantIn(folder, ["keys", "create", "--instance", "acme"])
      for (const [args, answer] of [
        [["migrate"], "the schema is up to date"],
        [["retention", "--dry-run"], "nothing is past its time"],
        [["account", "set", "--instance", "acme", "--selection-policy", "argmin"], "acme picks by argmin"],
        [["memory", "undo", "--instance", "acme", "--user-id", "mallory"], "No outcome matches"]
      ] as const) {
        const { code, stderr, stdout } = yield* sextantIn(folder, args)
        assert.strictEqual(code, 0, stderr)
        assert.include(stdout, answer)
        assert.strictEqual(stderr, "Storage: embedded database in .sextant\n", args.join(" "))
      }
      assert.isFalse(existsSync(join(folder, ".sextant-memory")))
    }), 180_000)
})
