import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { clusterIn } from "../../src/postgres/embedded/Cluster.ts"
import { serversOf } from "../../src/postgres/embedded/ServerProcess.ts"
import { dataDirectory, temporaryDirectory } from "../support/Databases.ts"
import { program } from "../support/program.ts"
import { acmeKey, requestJson, runToEnd, sendRequest, type Service, sextant, spawnCommand, startService, stopService } from "../support/Service.ts"

interface RecommendResponseJson {
  readonly ranked: ReadonlyArray<unknown>
}

const hasScript = spawnSync("script", ["--version"]).status === 0
const keyPattern = /sxt_local_[a-z0-9]+_[A-Za-z0-9_-]{32,}/g
const question = { task: { task: "Fix this failing unit test" } }

const startWithoutKeys = (directory: string) => startService({ SEXTANT_DATA_DIR: directory, SEXTANT_BOOTSTRAP_KEYS: "" })

const keysPrinted = ({ stdout }: Service): ReadonlyArray<string> => [...new Set(stdout().match(keyPattern))]

/** The first key is printed after the ready line: asks until the output holds it. */
const firstKey = (service: Service) =>
  Effect.sync(() => /Try it:\n([^]+?)\n\n/.exec(service.stdout())?.[1] ?? null).pipe(
    Effect.repeat({ until: (command: string | null) => command !== null, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("10 seconds"),
    Effect.map((command) => ({ command: command ?? "", key: keysPrinted(service)[0] ?? "" }))
  )

const statusFor = (service: Service, key: string) =>
  Effect.map(sendRequest({ ...service, key }, "/v1/recommend", question), ({ status }) => status)

describe("a new user", () => {
  it.live("gets a key once, for later starts too, and a command that works unchanged or with --json", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      const key = yield* Effect.scoped(Effect.gen(function*() {
        const service = yield* startWithoutKeys(directory)
        const first = yield* firstKey(service)
        assert.deepStrictEqual(keysPrinted(service), [first.key])
        const [command = ""] = first.command.split("\nWith --json")
        // Among models that most people have heard of, which the bundled catalog has.
        assert.include(command, "--models gpt-5.5,gpt-5.4-mini,claude-sonnet-5,gemini-3.5-flash")
        const read = yield* runToEnd("bash", ["-c", command], { HOME: process.env["HOME"] ?? "" })
        assert.strictEqual(read.code, 0, read.stderr)
        const [pick = "", report = "", ...more] = read.stdout.trimEnd().split("\n")
        assert.match(pick, /^\S+ · \d+ % · \$0\.\d+ · because it is \d+ % likely to succeed .* of the 4 candidates/)
        assert.match(report, /recommendation_id 0[0-9a-f-]{35}$/)
        assert.deepStrictEqual(more, [])
        const { stdout } = yield* runToEnd("bash", ["-c", `${command} --json`], { HOME: process.env["HOME"] ?? "" })
        assert.strictEqual((JSON.parse(stdout) as RecommendResponseJson).ranked.length, 4)
        assert.strictEqual(yield* stopService(service), 0)
        return first.key
      }))
      const again = yield* startWithoutKeys(directory)
      yield* requestJson(RecommendResponse, { ...again, key }, "/v1/recommend", question)
      // The key may set models, as `sextant-client init` does.
      const written = yield* Effect.promise(() => fetch(`${again.baseUrl}/v1/account/models`, {
        method: "PUT", headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ default_candidates: ["gpt-5"], models: [] })
      }))
      assert.strictEqual(written.status, 200)
      assert.deepStrictEqual(keysPrinted(again), [])
      assert.match(again.stdout(), /^Another key, .*: npm run -s sextant -- keys create --instance local$/m)
    }), 120_000)

  it.live("sees the first start's steps in order, and one line where no price source is reached", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      // Every price source is led to a port that `fetch` never calls.
      const preload = new URL("../faults/preload.ts", import.meta.url).href
      const offline = { SEXTANT_CATALOG_REFRESH: "on", NODE_OPTIONS: `--import=${preload}`, FAULTS_FETCH: "http://127.0.0.1:1" }
      const linesOf = (service: Service) =>
        [...service.stderr().matchAll(/message="?([^"\n]+)/g)].map(([, message = ""]) => message)
      const start = Effect.scoped(Effect.gen(function*() {
        const service = yield* startService({ SEXTANT_DATA_DIR: directory, SEXTANT_BOOTSTRAP_KEYS: "", ...offline })
        yield* Effect.sync(() => linesOf(service).some((line) => line.startsWith("No price"))).pipe(
          Effect.repeat({ until: (isThere: boolean) => isThere, schedule: Schedule.spaced("20 millis") }),
          Effect.timeout("10 seconds")
        )
        const lines = linesOf(service)
        assert.strictEqual(yield* stopService(service), 0)
        return lines
      }))
      const isAbout = (words: string) => (line: string) => line.startsWith(words)
      const first = yield* start
      const steps = ["Making a database", "Starting PostgreSQL", "Migrating the database"]
      const at = steps.map((words) => first.findIndex(isAbout(words)))
      assert.isTrue(at.every((index, i) => index > (at[i - 1] ?? -1)), first.join("\n"))
      const unreachable = first.filter((line) => /price|bad port/.test(line))
      assert.lengthOf(unreachable, 1)
      for (const source of ["models.dev", "openrouter", "litellm"]) {
        assert.match(unreachable[0] ?? "", new RegExp(`${source.replace(".", "\\.")}: bad port`))
      }
      assert.notInclude(unreachable[0], "cause")
      const second = yield* start
      assert.isFalse(second.some((line) => /^(Making|Migrating)/.test(line)), second.join("\n"))
    }), 120_000)

  it.live.skipIf(!hasScript)("sees on a terminal how long each step of the first start took, and then the key", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const started = yield* Effect.scoped(Effect.gen(function*() {
        // `script` runs the service, its only child, on a new terminal.
        const command = `exec ${process.execPath} ${program} serve`
        const terminal = yield* spawnCommand("script", ["-qec", command, "/dev/null"], {
          TERM: "xterm", PORT: "0", SEXTANT_DATA_DIR: directory
        })
        yield* Effect.sync(() => terminal.stdout().includes("Try it:")).pipe(
          Effect.repeat({ until: (isThere: boolean) => isThere, schedule: Schedule.spaced("50 millis") }),
          Effect.timeout("60 seconds")
        )
        const children = readFileSync(`/proc/${terminal.pid}/task/${terminal.pid}/children`, "utf8")
        process.kill(Number(children.trim()), "SIGTERM")
        assert.strictEqual(yield* terminal.exitCode, 0)
        return terminal.stdout()
      }))
      // A line as the terminal shows it: what follows the last return to its beginning.
      const lines = started.split(/\r?\n/).map((line) => line.slice(line.lastIndexOf("\u001b[K") + 1).replace("[K", ""))
      const at = ["✓ Making a database", "✓ Starting PostgreSQL (", "✓ Migrating the database", "Sextant is ready at"]
        .map((words) => lines.findIndex((line) => line.startsWith(words)))
      assert.isTrue(at.every((index, i) => index > (at[i - 1] ?? -1)), lines.join("\n"))
      assert.isFalse(lines.some((line) => /^\S (Making|Starting|Migrating).*level=/.test(line)))
      assert.deepStrictEqual(serversOf(clusterIn(directory)), [])
    }), 120_000)
})

describe("the keys command", () => {
  it.live("creates and revokes keys before and while services serve, and never lists a secret", () =>
    Effect.gen(function*() {
      const environment = { SEXTANT_DATA_DIR: yield* dataDirectory }
      const keys = (...args: ReadonlyArray<string>) => sextant(["keys", ...args], environment)
      const kept = (yield* keys("create", "--instance", "late")).stdout.trim()
      const service = yield* startService(environment)
      const created = yield* keys("create", "--instance", "late")
      assert.strictEqual(created.code, 0, created.stderr)
      const dropped = created.stdout.trim()
      for (const key of [kept, dropped]) assert.strictEqual(yield* statusFor(service, key), 200)
      const keyId = dropped.split("_")[2] ?? ""
      assert.strictEqual((yield* keys("revoke", "--instance", "late", "--key-id", keyId)).code, 0)
      assert.notStrictEqual((yield* keys("revoke", "--instance", "late", "--key-id", keyId)).code, 0)

      const { stdout } = yield* keys("list")
      const lines = stdout.split("\n").filter((line) => line.startsWith("late\t"))
      assert.strictEqual(lines.length, 2)
      assert.lengthOf(lines.filter((line) => line.endsWith("live")), 1)
      assert.include(stdout, keyId)
      for (const key of [kept, dropped]) assert.notInclude(stdout, key.split("_").slice(3).join("_"))

      const second = yield* startService(environment)
      assert.strictEqual(yield* statusFor(second, kept), 200)
      assert.strictEqual(yield* statusFor(second, dropped), 401)
      // The database outlives the service that started it while another one uses it.
      assert.strictEqual(yield* stopService(service), 0)
      assert.strictEqual(yield* statusFor(second, acmeKey), 200)
      assert.strictEqual(yield* stopService(second), 0)
      assert.deepStrictEqual(serversOf(clusterIn(environment.SEXTANT_DATA_DIR)), [])
    }), 180_000)
})
