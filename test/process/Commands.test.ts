import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { existsSync, mkdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { openEmbedded } from "../../src/postgres/embedded/EmbeddedPostgres.ts"
import { dataDirectory, slow } from "../support/Databases.ts"
import { program } from "../support/program.ts"
import { runToEnd, sextant } from "../support/Service.ts"

/** `sextant <args>` with its defaults, in a folder that has a data directory. */
const sextantIn = (folder: string, args: ReadonlyArray<string>) =>
  runToEnd("sh", ["-c", 'cd "$0" && exec "$@"', folder, process.execPath, program, ...args], {})

/** A folder with the data directory of an account, whose PostgreSQL runs so that no command has to start it. */
class Home extends Context.Service<Home, { readonly folder: string; readonly environment: { readonly SEXTANT_DATA_DIR: string } }>()(
  "test/process/Commands/Home"
) {
  static readonly layer = Layer.effect(
    Home,
    Effect.gen(function*() {
      const folder = yield* dataDirectory
      const moved = `${folder}-moved`
      renameSync(folder, moved)
      mkdirSync(folder)
      renameSync(moved, join(folder, ".sextant"))
      yield* sextantIn(folder, ["keys", "create", "--instance", "acme"])
      const environment = { SEXTANT_DATA_DIR: join(folder, ".sextant") }
      yield* openEmbedded(environment.SEXTANT_DATA_DIR)
      return { folder, environment }
    })
  )
}

layer(Home.layer, slow)("commands", (it) => {
  it.effect("work on the service's database without variables, and name it beside their result", () =>
    Effect.gen(function*() {
      const { folder } = yield* Home
      for (const [args, answer] of [
        [["migrate"], "the schema is up to date"],
        [["retention", "--dry-run"], "nothing is past its retention"],
        [["account", "set", "--instance", "acme", "--selection-policy", "argmin"], "acme picks models by argmin"],
        [["account", "set", "--instance", "acme", "--budget", "50/day"], "acme may spend 50 USD in each day (UTC), and gets the cheapest models beyond it"],
        [["account", "set", "--instance", "acme", "--budget", "50/day", "--hard"], "acme may spend 50 USD in each day (UTC), and gets no recommendation beyond it"],
        [["account", "set", "--instance", "acme", "--budget", "none"], "acme has no budget"],
        [["account", "set", "--instance", "acme", "--success-value", "0.5"], "acme picks models by what is worth most at 0.5 USD a success"],
        [["account", "set", "--instance", "acme", "--success-value", "none"], "acme picks models by the threshold of each request"],
        [["advise", "--instance", "acme"], "No call of this account is in the window"],
        [["advise", "--instance", "acme", "--json", "--namespace", "shop"], `"namespace":"shop","days":30,"n":0,`],
        [["memory", "undo", "--instance", "acme", "--user-id", "mallory"], "No outcome matches"]
      ] as const) {
        const { code, stderr, stdout } = yield* sextantIn(folder, args)
        assert.strictEqual(code, 0, stderr)
        assert.include(stdout, answer)
        assert.strictEqual(stderr, "Storage: embedded database in .sextant\n", args.join(" "))
      }
      assert.isFalse(existsSync(join(folder, ".sextant-memory")))
    }), 180_000)

  it.effect("refuse a budget that is no amount and period, and say what one looks like", () =>
    Effect.gen(function*() {
      const { environment } = yield* Home
      for (const text of ["50", "-1/day", "1e10/day", "NaN/day", "50/week", "50 /day"]) {
        const { code, stderr, stdout } = yield* sextant(["account", "set", "--instance", "acme", `--budget=${text}`], environment)
        assert.notStrictEqual(code, 0, text)
        assert.include(stdout + stderr, "50/day", text)
      }
      for (const budget of [[], ["--budget", "none"]]) {
        const { code, stderr } = yield* sextant(["account", "set", "--instance", "acme", "--hard", ...budget], environment)
        assert.notStrictEqual(code, 0)
        assert.include(stderr, "--hard needs --budget with an amount")
      }
    }), 180_000)

  it.effect("give a guarantee and take it away, and refuse what can be none", () =>
    Effect.gen(function*() {
      const { environment } = yield* Home
      const set = (...args: ReadonlyArray<string>) =>
        sextant(["account", "set", "--instance", "acme", ...args], environment)
      const given = yield* set("--guarantee-baseline", "gpt-5", "--max-quality-loss", "0.03", "--confidence", "0.9")
      assert.strictEqual(given.code, 0, given.stderr)
      assert.include(given.stdout, "cheaper than gpt-5 once their success is known to be within 0.03 of it")
      assert.notInclude(given.stderr, "the catalog has no model")
      assert.match(given.stdout, /after about \d+ reported outcomes of a kind of task, .*Trials run another model on at most 20 % of the tasks/)
      assert.include((yield* set("--guarantee-baseline", "gpt-5", "--guarantee-trials", "0")).stdout, "Trials are off")
      assert.include((yield* set("--guarantee-baseline", "gpt-nosuch")).stderr, "the catalog has no model gpt-nosuch")
      assert.include((yield* set("--guarantee-baseline", "none")).stdout, "acme has no guarantee")
      for (
        const [args, text] of [
          [["--confidence", "0.9"], "need --guarantee-baseline"],
          [["--guarantee-baseline", "none", "--confidence", "0.9"], "need --guarantee-baseline"],
          [["--guarantee-baseline", "gpt-5", "--confidence", "2"], "confidence"],
          [["--guarantee-baseline", "gpt-5", "--max-quality-loss", "much"], "max-quality-loss"]
        ] as const
      ) {
        const { code, stderr, stdout } = yield* set(...args)
        assert.notStrictEqual(code, 0)
        assert.include(stderr + stdout, text)
      }
    }), 180_000)

  it.effect("set an account without a live key, and warn of it", () =>
    Effect.gen(function*() {
      const { environment } = yield* Home
      const set = (instance: string, more: Readonly<Record<string, string>> = {}) =>
        sextant(["account", "set", "--instance", instance, "--selection-policy", "service"], { ...environment, ...more })
      const keys = (...args: ReadonlyArray<string>) => sextant(["keys", ...args], environment)
      const key = (yield* keys("create", "--instance", "shop")).stdout
      const known = yield* set("shop")
      assert.deepStrictEqual([known.code, /Warning/.test(known.stderr)], [0, false])
      yield* keys("revoke", "--instance", "shop", "--key-id", key.split("_")[2] ?? "")
      for (const instance of ["shop", "nosuch"]) {
        const { code, stderr, stdout } = yield* set(instance)
        assert.strictEqual(code, 0)
        assert.include(stdout, `${instance} picks models by the service's policy`)
        assert.include(stderr, `Warning: ${instance} has no live key.`)
      }
      // There the keys are kept elsewhere, and nothing can be said.
      const { stderr } = yield* set("nosuch", { SEXTANT_MEMORY_URL: "http://127.0.0.1:9" })
      assert.notInclude(stderr, "Warning")
    }), 180_000)
})
