import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { DashboardResponse } from "../../src/domain/reports/Dashboard.ts"
import { dataDirectory, slow } from "../support/Databases.ts"
import { requestJson, runToEnd, sendRequest, type Service, sextant, startService } from "../support/Service.ts"

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
  it.effect("shows its calls in a new account beside the running service at each run, and in no other", () =>
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
          return account
        }))
      assert.notStrictEqual(accounts[0], accounts[1])
      assert.lengthOf((yield* requestJson(DashboardResponse, service, "/v1/dashboard")).decisions, 0)
      assert.includeMembers((yield* keysIn(directory)).map(({ account }) => account), accounts)
    }), 120_000)

  it.effect("makes nothing for a service that does not answer, and says what to look at", () =>
    Effect.gen(function*() {
      const { directory } = yield* Running
      const before = yield* keysIn(directory)
      for (const url of ["http://127.0.0.1:9", "nowhere"]) {
        const { code, stderr } = yield* demo({ SEXTANT_DATA_DIR: directory }, "--url", url)
        assert.strictEqual(code, 1)
        assert.include(stderr, `Is the service at ${url}`)
      }
      assert.deepStrictEqual(yield* keysIn(directory), before)
    }), 120_000)

  it.effect("plays with a key that is given, and creates none", () =>
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
