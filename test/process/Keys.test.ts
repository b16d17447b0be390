// Keys in running services: while they start, and when another process creates or ends one.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schedule } from "effect"
import { makeProxy, none } from "../faults/proxy.ts"
import { keyOf } from "../accounts/KeysContract.ts"
import { dataDirectory, migratedDatabase, postgresServer } from "../support/Databases.ts"
import { freePort } from "../support/PostgresCluster.ts"
import { program } from "../support/program.ts"
import { sendRequest, type Service, sextant, spawnCommand, startService } from "../support/Service.ts"

const question = { task: { task: "Write a function that sums a list" } }

type Address = Pick<Service, "baseUrl" | "key">

const statusFor = (service: Address, key: string) =>
  Effect.map(sendRequest({ ...service, key }, "/v1/recommend", question), ({ status }) => status)

/** The statuses of one request after another, which `stop` ends; 0 is no answer. */
const hammer = (service: Address, stop: { isNow: boolean }) =>
  Effect.gen(function*() {
    const statuses = new Set<number>()
    while (!stop.isNow) {
      statuses.add(yield* Effect.orElseSucceed(statusFor(service, service.key), () => 0))
      yield* Effect.sleep("2 millis")
    }
    return statuses
  })

/** Repeats a request until it is answered with that status; the test's own time is the bound. */
const until = (status: number, effect: Effect.Effect<number, unknown>) =>
  Effect.repeat(Effect.orElseSucceed(effect, () => 0), {
    until: (each) => each === status, schedule: Schedule.spaced("20 millis")
  })

const ready = (service: Address) => until(200, Effect.map(sendRequest(service, "/readyz"), ({ status }) => status))

describe("a bootstrap key", () => {
  for (const processes of [1, 2]) {
    it.live(`is never answered 401 while SEXTANT_PROCESSES=${processes} starts on an embedded database`, () =>
      Effect.gen(function*() {
        const port = String(yield* Effect.promise(freePort))
        const key = Redacted.value(keyOf("acme"))
        const address = { baseUrl: `http://127.0.0.1:${port}`, key }
        const stop = { isNow: false }
        const hammering = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(hammer(address, stop)))
        yield* spawnCommand(process.execPath, [program, "serve"], {
          PORT: port, SEXTANT_PROCESSES: String(processes), SEXTANT_BOOTSTRAP_KEYS: key,
          SEXTANT_RECALL_TIMEOUT_MS: "10000", SEXTANT_DATA_DIR: yield* dataDirectory
        })
        yield* ready(address)
        for (let i = 0; i < 8; i++) assert.strictEqual(yield* statusFor(address, key), 200)
        stop.isNow = true
        for (const each of hammering) {
          assert.isEmpty([...yield* Fiber.join(each)].filter((status) => ![0, 200, 503].includes(status)))
        }
      }), 120_000)
  }

  it.live.skipIf(postgresServer === null)("is answered 503 with Retry-After, never 401, until PostgreSQL is up and has it", () =>
    Effect.gen(function*() {
      const database = yield* migratedDatabase
      const url = new URL(Redacted.value(database.url))
      const proxy = yield* makeProxy(Number(url.port || 5432))
      yield* proxy.set({ kind: "refuse" })
      url.host = `127.0.0.1:${proxy.port}`
      const key = Redacted.value(keyOf("acme"))
      const service = yield* startService({ DATABASE_URL: url.href, SEXTANT_BOOTSTRAP_KEYS: key })
      const mine = { ...service, key }
      const refused = yield* Effect.promise(() =>
        fetch(`${mine.baseUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } }))
      assert.strictEqual(refused.status, 503)
      assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      const stop = { isNow: false }
      const hammering = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(hammer(mine, stop)))
      yield* proxy.set(none)
      yield* ready(mine)
      assert.strictEqual(yield* statusFor(mine, key), 200)
      stop.isNow = true
      for (const each of hammering) assert.sameMembers([...yield* Fiber.join(each)], [200, 503])
      assert.strictEqual(yield* statusFor(mine, Redacted.value(keyOf("acme", "k9"))), 401)
    }), 120_000)
})

describe.skipIf(postgresServer === null)("a running service", () => {
  it.live("accepts a key that another process registers at once, and soon refuses a revoked one", () =>
    Effect.gen(function*() {
      const { url } = yield* migratedDatabase
      const environment = { DATABASE_URL: Redacted.value(url) }
      const service = yield* startService({ ...environment, SEXTANT_FAILED_KEYS_PER_MINUTE: "off" })
      const key = Redacted.value(keyOf("acme", "k2"))
      assert.strictEqual(yield* statusFor(service, key), 401)
      const stop = { isNow: false }
      const hammering = yield* Effect.forkChild(hammer({ ...service, key }, stop))
      const other = yield* startService({ ...environment, SEXTANT_BOOTSTRAP_KEYS: key })
      yield* ready(other)
      assert.strictEqual(yield* statusFor(service, key), 200)
      stop.isNow = true
      assert.sameMembers([...yield* Fiber.join(hammering)], [401, 200])

      const { code } = yield* sextant(["keys", "revoke", "--instance", "acme", "--key-id", "k2"], environment)
      assert.strictEqual(code, 0)
      for (const each of [service, other]) yield* until(401, statusFor(each, key))
      assert.strictEqual(yield* statusFor(service, service.key), 200)
    }), 55_000)
})
