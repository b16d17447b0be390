import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { HealthResponse } from "../../src/domain/System.ts"
import { temporaryDirectory } from "../support/Databases.ts"
import { fakeClock, hasFakeTime } from "../support/FakeTime.ts"
import { program } from "../support/program.ts"
import { acmeKey, sendRequest, requestJson, awaitReady, spawnCommand, type Service, startService, stopService, umbrellaKey } from "../support/Service.ts"
import { inTime, trafficOf } from "./invariants.ts"
import { database, hasServer, isFullRun, makeFront, preloaded, recallBudgetMs, type Script, fixedSettings } from "./setup.ts"

/** A service whose wall clock can be set; its timers go on as they are. */
const clocked = Effect.gen(function*() {
  const { environment, set } = yield* fakeClock
  const service = yield* startService({ ...fixedSettings, ...environment, DATABASE_URL: yield* database })
  return { service, set }
})

const answered = (body: unknown, status = 200): Script => (_request, response) => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  return "answered"
}

/** Rows in each source's own shape that no price may come from. */
const poisoned: Readonly<Record<string, Script>> = {
  "that are down": answered("down", 500),
  "of another shape": answered({ data: 7, models: "many" }),
  "with negative prices, prices in another currency's words, and no models": (request, response) =>
    answered(
      request.url?.includes("openrouter") === true
        ? { data: [{ id: "openai/gpt-4o", pricing: { prompt: "-1", completion: "five euros" } }] }
        : request.url?.includes("models.dev") === true
        ? { openai: { id: "openai", models: { "gpt-4o": { id: "gpt-4o", cost: { input: -5, output: -10 } } } } }
        : {}
    )(request, response),
  "that never answer": () => "answered"
}

/** What a service that last reached its sources four days ago has on disk: newer than the bundled prices. */
const lastGood = (): string =>
  JSON.stringify({
    models: [{
      model_id: "gpt-4o", input_cost_per_mtok: 2.5, output_cost_per_mtok: 10, cache_read_cost_per_mtok: 1.25,
      context_window: 128_000, max_output_tokens: 16_384, cost_source: "models.dev",
      cost_fetched_at: new Date(Date.now() - 4 * 86_400_000).toISOString()
    }]
  })

/** What a raw request is answered, as far as it came. */
const raw = ({ baseUrl }: Service, text: string) =>
  Effect.callback<string>((resume) => {
    const socket = connect({ port: Number(new URL(baseUrl).port), host: "127.0.0.1" }, () => socket.write(text))
    let said = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => said += chunk)
    socket.on("error", () => socket.destroy()).once("close", () => resume(Effect.succeed(said)))
  })

const inherited = { SEXTANT_BOOTSTRAP_KEYS: `${acmeKey},${umbrellaKey}`, PORT: "0" }

describe.skipIf(!hasServer)("a service", () => {
  for (const [name, script] of Object.entries(poisoned)) {
    it.live.runIf(isFullRun || name.startsWith("with"))(`keeps its last good prices, and reports them as stale, with sources ${name}`, () =>
      Effect.gen(function*() {
        const front = yield* makeFront("http://127.0.0.1:9")
        front.state.script = script
        const dataDirectory = yield* temporaryDirectory
        const [path, text] = [join(dataDirectory, "catalog.json"), lastGood()]
        writeFileSync(path, text)
        const service = yield* startService({
          ...preloaded, DATABASE_URL: yield* database, SEXTANT_DATA_DIR: dataDirectory,
          SEXTANT_CATALOG_REFRESH: "on", FAULTS_FETCH: `http://127.0.0.1:${front.port}`
        })
        const before = yield* requestJson(HealthResponse, service, "/v1/health")
        while (front.heard.length < 3) yield* Effect.sleep("50 millis")
        yield* Effect.sleep("500 millis")
        const { answers: [answer] } = yield* trafficOf(service).recommend(1)
        assert.strictEqual(answer?.catalogVersion, before.catalog.version)
        assert.isTrue(answer?.catalogStale)
        assert.include(answer?.warnings, "prices_stale")
        assert.strictEqual(readFileSync(path, "utf8"), text)
        assert.strictEqual(yield* stopService(service), 0)
      }))
  }

  it.live.runIf(isFullRun && hasFakeTime)("answers, learns and measures no negative time when the clock jumps three hours either way", () =>
    Effect.gen(function*() {
      const { service, set } = yield* clocked
      const traffic = trafficOf(service)
      yield* traffic.recovers
      for (const offset of ["+3h", "-3h", "+0"]) {
        const { answers: [earlier] } = yield* traffic.recommend(1)
        const during = yield* Effect.forkChild(traffic.recommend(20))
        yield* set(offset)
        const asked = yield* Fiber.join(during)
        for (const { latencyMs, warnings } of asked.answers) {
          assert.isAtLeast(latencyMs, 0)
          assert.notInclude(warnings, "memory_unavailable")
        }
        inTime(asked, recallBudgetMs)
        if (earlier !== undefined) yield* traffic.told(earlier)
      }
      yield* traffic.countedOnce
    }))

  it.live.runIf(isFullRun)("answers all requests that arrived while its event loop was blocked", () =>
    Effect.gen(function*() {
      const service = yield* startService({ ...fixedSettings, ...preloaded, DATABASE_URL: yield* database, FAULTS_BLOCK_MS: "500" })
      const traffic = trafficOf(service)
      yield* traffic.recovers
      const load = yield* Effect.forkChild(
        Effect.all(Array.from({ length: 16 }, () => traffic.recommend(5)), { concurrency: "unbounded" })
      )
      yield* service.kill("SIGUSR2")
      for (const { warnings } of (yield* Fiber.join(load)).flatMap(({ answers }) => answers)) {
        assert.deepStrictEqual(warnings.filter((warning) => !/^(recall_timeout|memory_|lane_numbers_|cold_start)/.test(warning)), [])
      }
      yield* traffic.recovers
      yield* traffic.countedOnce
    }))

  it.live.runIf(isFullRun)("survives running out of file descriptors, and accepts connections again", () =>
    Effect.gen(function*() {
      const shell = `ulimit -n 80; exec "${process.execPath}" ${program} serve`
      const { child, ...rest } = yield* spawnCommand("sh", ["-c", shell], { ...fixedSettings, ...inherited, DATABASE_URL: yield* database })
      const service = { ...rest, baseUrl: yield* awaitReady({ child, ...rest }), key: acmeKey }
      const traffic = trafficOf(service)
      yield* traffic.recovers
      const port = Number(new URL(service.baseUrl).port)
      const sockets = yield* Effect.promise(() =>
        Promise.all(Array.from({ length: 200 }, () =>
          new Promise<ReturnType<typeof connect>>((resolve) => {
            const socket = connect({ port, host: "127.0.0.1" })
            socket.on("error", () => resolve(socket)).once("connect", () => resolve(socket))
          })))
      )
      yield* Effect.sleep("1 second")
      for (const socket of sockets) socket.destroy()
      yield* traffic.recovers
      yield* traffic.countedOnce
    }))

  it.live.runIf(isFullRun)("answers while its log is not read", () =>
    Effect.gen(function*() {
      const { child, ...rest } = yield* spawnCommand(process.execPath, [program, "serve"], {
        ...fixedSettings, ...inherited, DATABASE_URL: yield* database,
        SEXTANT_MEMORY_URL: "http://127.0.0.1:1", SEXTANT_BOOTSTRAP_KEYS: ""
      })
      const service = { ...rest, baseUrl: yield* awaitReady({ child, ...rest }), key: acmeKey }
      child.stdout?.pause()
      child.stderr?.pause()
      // Each of these probes is logged; a pipe holds 64 kB.
      for (let turn = 0; turn < 1_500; turn++) {
        assert.strictEqual((yield* sendRequest(service, "/v1/health")).status, 200)
      }
    }))

  it.live.runIf(isFullRun)("accepts a proxy's spellings of a request, and trusts no header about its origin", () =>
    Effect.gen(function*() {
      const service = yield* startService({ ...fixedSettings, DATABASE_URL: yield* database, SEXTANT_RATE_LIMIT: "2" })
      const get = (target: string, version: string, more: ReadonlyArray<string>) =>
        raw(service, [`GET ${target} HTTP/${version}`, "host: x", "connection: close", ...more, "", ""].join("\r\n"))
      const authorized = `authorization: Bearer ${acmeKey}`
      assert.match(yield* get("/v1/health", "1.0", []), /^HTTP\/1\.1 200/)
      assert.match(yield* get("http://elsewhere.example/v1/health", "1.1", []), /^HTTP\/1\.1 (200|400|404)/)
      const statuses: Array<string> = []
      for (let n = 0; n < 3; n++) {
        const said = yield* get("/v1/savings", "1.1", [authorized, `x-forwarded-for: 10.0.0.${n}`, "forwarded: for=1.2.3.4"])
        statuses.push(said.slice(9, 12))
      }
      // One quota for the account, wherever it says that it calls from.
      assert.deepStrictEqual(statuses, ["200", "200", "429"])
    }))

  it.live.runIf(isFullRun)("serves five hundred clients that reconnect at once after its restart", () =>
    Effect.gen(function*() {
      const url = yield* database
      const first = yield* startService({ ...fixedSettings, DATABASE_URL: url })
      yield* first.kill("SIGKILL")
      yield* first.exitCode
      const again = yield* Effect.forkChild(startService({ ...fixedSettings, DATABASE_URL: url, PORT: new URL(first.baseUrl).port }))
      // A service that starts says so by 503, and one with as many requests as an account may have by 429.
      const refusals = new Set<number>()
      const comeBack = sendRequest(first, "/v1/recommend", { task: { task: "Fix this failing unit test" } }).pipe(
        Effect.map(({ status }) => {
          if (status !== 200) refusals.add(status)
          return status
        }),
        Effect.catchTag("NoAnswer", () => Effect.succeed(null)),
        Effect.repeat({ until: (status) => status === 200, schedule: Schedule.spaced("100 millis") })
      )
      yield* Effect.forEach(Array.from({ length: 500 }), () => comeBack, { concurrency: "unbounded", discard: true })
      assert.includeMembers([429, 503], [...refusals])
      const traffic = trafficOf(yield* Fiber.join(again))
      yield* traffic.recovers
    }))
})
