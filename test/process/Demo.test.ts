import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { DashboardResponse } from "../../src/domain/reports/Dashboard.ts"
import { dataDirectory, slow } from "../support/Databases.ts"
import { requestJson, runToEnd, sendRequest, type Service, sextant, startService, stopService } from "../support/Service.ts"

class Running extends Context.Service<Running, { readonly service: Service; readonly directory: string }>()(
  "test/process/Demo/Running"
) {
  static readonly layer = Layer.effect(
    Running,
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      return { service: yield* startService({ SEXTANT_DATA_DIR: directory }), directory }
    })
  )
}

const demo = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  runToEnd(process.execPath, ["scripts/demo.ts", "--calls", "12", ...args], environment)

/** The accounts that have a key, with its state. */
const keysIn = (directory: string) =>
  Effect.map(sextant(["keys", "list"], { SEXTANT_DATA_DIR: directory }), ({ stdout }) =>
    stdout.split("\n").filter((line) => line !== "").map((line) => {
      const cells = line.split("\t")
      return { account: cells[0] ?? "", state: cells.at(-1)?.split(" ")[0] ?? "" }
    }))

layer(Running.layer, slow)("the demo without a key", (it) => {
  it.effect("shows a month in a new account beside the running service at each run, and in no other", () =>
    Effect.gen(function*() {
      const { directory, service } = yield* Running
      // The key of a program, as the start page asks to set it, is not the demo's.
      const environment = { SEXTANT_DATA_DIR: directory, SEXTANT_KEY: service.key }
      const runs = yield* Effect.forEach([1, 2], () => demo(environment, "--url", service.baseUrl))
      const accounts = yield* Effect.forEach(runs, ({ code, stderr, stdout }) =>
        Effect.gen(function*() {
          assert.strictEqual(code, 0, stderr)
          const [key = "", account = ""] = /^ {2}sxt_(demo-[0-9a-f]{8})_\S+$/m.exec(stdout) ?? []
          assert.include(stdout, `account erase --instance ${account} --yes`)
          const own = { ...service, key: key.trim() }
          const { decisions } = yield* requestJson(DashboardResponse, own, "/v1/dashboard")
          assert.lengthOf(decisions, 12)
          const times = decisions.map(({ createdAt }) => Date.parse(createdAt))
          // How far the calls lie apart in the month follows how far they lay apart when they were made.
          assert.isAbove((Math.max(...times) - Math.min(...times)) / 86_400_000, 1)
          const { decisions: played } = yield* requestJson(DashboardResponse, own, "/v1/dashboard?days=1")
          assert.isBelow(played.length, 12)
          return account
        }))
      assert.notStrictEqual(accounts[0], accounts[1])
      assert.lengthOf((yield* requestJson(DashboardResponse, service, "/v1/dashboard")).decisions, 0)
      assert.includeMembers((yield* keysIn(directory)).map(({ account }) => account), accounts)
    }), 120_000)

  it.effect("revokes its keys again where the service has another database, and says so", () =>
    Effect.gen(function*() {
      const { service } = yield* Running
      const other = yield* dataDirectory
      yield* sextant(["keys", "create", "--instance", "acme"], { SEXTANT_DATA_DIR: other })
      const { code, stderr, stdout } = yield* demo({ SEXTANT_DATA_DIR: other }, "--url", service.baseUrl)
      assert.strictEqual(code, 1)
      assert.include(stderr, "does not know the key of the new account")
      assert.include(stderr, "The key is revoked")
      assert.notInclude(stdout + stderr, "sxt_demo-")
      assert.sameMembers((yield* keysIn(other)).map(({ account, state }) => `${account.slice(0, 4)} ${state}`), [
        "acme live", "demo revoked", "demo revoked"
      ])
    }), 120_000)

  it.effect("makes nothing for a service that does not answer, that is elsewhere, or whose database is not there", () =>
    Effect.gen(function*() {
      const { directory, service } = yield* Running
      const before = yield* keysIn(directory)
      const empty = join(yield* dataDirectory, "empty")
      mkdirSync(empty)
      const gone = yield* Effect.scoped(Effect.gen(function*() {
        const stopped = yield* startService({ SEXTANT_DATA_DIR: yield* dataDirectory })
        yield* stopService(stopped)
        return stopped.baseUrl
      }))
      for (
        const [url, data, words] of [
          [gone, directory, "No service answers at"],
          ["https://sextant.example.com", directory, "is not on this machine"],
          ["nowhere", directory, "is no URL"],
          [service.baseUrl, `${directory}/missing`, "There is no database in"],
          [service.baseUrl, empty, "There is no database in"]
        ] as const
      ) {
        const { code, stderr } = yield* demo({ SEXTANT_DATA_DIR: data }, "--url", url)
        assert.strictEqual(code, 1)
        assert.include(stderr, words)
      }
      assert.deepStrictEqual(readdirSync(empty), [])
      assert.deepStrictEqual(yield* keysIn(directory), before)
    }), 120_000)

  it.effect("plays with a key that is given, and mints none", () =>
    Effect.gen(function*() {
      const { directory, service } = yield* Running
      const before = yield* keysIn(directory)
      const { code, stdout } = yield* demo({}, "--url", service.baseUrl, "--key", service.key)
      assert.strictEqual(code, 0)
      assert.include(stdout, "enter the same key")
      assert.notInclude(stdout, "sxt_")
      assert.deepStrictEqual((yield* keysIn(directory)).length, before.length)
      assert.strictEqual((yield* sendRequest(service, "/v1/dashboard")).status, 200)
    }), 120_000)
})
