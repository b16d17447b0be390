// Several processes on one port, as real processes: they answer alike, replace one another, and end together.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule, Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { FeedbackResponse } from "../../src/domain/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { feedbackOn } from "../cluster/drill.ts"
import { killProcess, processesOf } from "../cluster/topology.ts"
import { lived } from "../support/builders.ts"
import { dataDirectory, freshDatabase, postgresServer, temporaryDirectory } from "../support/Databases.ts"
import {
  awaitLog, type Answer, requestJson, type Service, sextant, startService, stopService
} from "../support/Service.ts"

const two = { SEXTANT_PROCESSES: "2" }

const database = Effect.map(freshDatabase(postgresServer ?? ""), ({ url }) => Redacted.value(url))

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}/exe`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")

const eventually = (isSo: () => boolean) =>
  Effect.sync(isSo).pipe(Effect.repeat({ until: Boolean, schedule: Schedule.spaced("50 millis"), times: 400 }))

/** One request on a connection of its own: connections go to the processes in turns. */
const alone = ({ baseUrl, key }: Service, path: string, body?: object): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    const text = JSON.stringify(body)
    const sent = request(`${baseUrl}${path}`, {
      agent: false,
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      timeout: 10_000
    }, (response) => {
      let answer = ""
      response.setEncoding("utf8").on("data", (chunk: string) => answer += chunk)
      response.once("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, text: answer })))
    })
    sent.once("timeout", () => sent.destroy())
    sent.once("error", (error) => resume(Effect.succeed({ status: 0, text: error.message })))
    sent.end(text)
  })

const task = { task: { task: "Fix the failing unit test of the cart", task_type: "code" } }

const outcomesSeen = (service: Service) =>
  Effect.gen(function*() {
    const { text } = yield* alone(service, "/v1/recommend", task)
    const { ranked } = yield* Schema.decodeEffect(Schema.fromJsonString(RecommendResponse))(text)
    return ranked.flatMap(({ evidence }) => lived(evidence)).length
  })

const learnTogether = (service: Service) =>
  Effect.gen(function*() {
    // Both have the lane in their cache before anything is told.
    for (let i = 0; i < 4; i++) assert.strictEqual(yield* outcomesSeen(service), 0)
    const { recommendationId, recommendedModel } = yield* requestJson(
      RecommendResponse, service, "/v1/recommend", task)
    yield* requestJson(FeedbackResponse, service, "/v1/feedback",
      feedbackOn(recommendationId, recommendedModel.modelId))
    const seenByAll = Effect.map(
      Effect.forEach([0, 1, 2, 3], () => outcomesSeen(service)),
      (seen) => seen.every((count) => count > 0)
    )
    assert.isTrue(yield* Effect.repeat(seenByAll, {
      until: Boolean, schedule: Schedule.spaced("100 millis"), times: 50
    }))
  })

const hung = "A process of the service hung and was killed; starting another"

/** Of tests that wait most of their time, at the same time. */
const waiting = { concurrent: true, timeout: 240_000 }

describe("two processes on one port", () => {
  it.live("share an embedded database, survive the one that started it, and leave nothing behind", () =>
    Effect.gen(function*() {
      const service = yield* startService({ ...two, SEXTANT_DATA_DIR: yield* dataDirectory })
      assert.match(service.stdout(), /^Sextant is ready at .*, 2 processes\)\n$/)
      yield* learnTogether(service)
      yield* killProcess(service)
      for (let i = 0; i < 8; i++) assert.strictEqual((yield* alone(service, "/v1/recommend", task)).status, 200)
      const all = processesOf(service)
      assert.strictEqual(yield* stopService(service), 0, service.stderr())
      assert.deepStrictEqual(all.filter(isAlive), [])
    }), 120_000)

  it.live("replace one that hangs", () =>
    Effect.gen(function*() {
      const service = yield* startService({ ...two, SEXTANT_DATA_DIR: yield* dataDirectory })
      const before = processesOf(service)
      const [, hanging = 0] = before
      process.kill(hanging, "SIGSTOP")
      yield* Effect.repeat(eventually(() => service.stderr().includes(hung)), { until: Boolean, times: 3 })
      yield* awaitLog(service, /hung and was killed; starting another.*slot=2 ended=SIGKILL/)
      assert.isTrue(yield* eventually(() => {
        const now = processesOf(service)
        return now.length === 2 && !now.includes(hanging)
      }))
      for (let i = 0; i < 8; i++) assert.strictEqual((yield* alone(service, "/v1/recommend", task)).status, 200)
    }), waiting)

  it.live("end with 1 when one hangs while they stop", () =>
    Effect.gen(function*() {
      const service = yield* startService({ ...two, SEXTANT_DATA_DIR: yield* dataDirectory })
      const all = processesOf(service)
      process.kill(all[1] ?? 0, "SIGSTOP")
      yield* service.kill("SIGTERM")
      assert.strictEqual(yield* service.exitCode, 1, service.stderr())
      assert.include(service.stderr(), "A process of the service did not stop in time and was killed")
      assert.notInclude(service.stderr(), hung)
      assert.deepStrictEqual(all.filter(isAlive), [])
    }), waiting)

  it.live("print one line and start no database when their port is taken", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryDirectory
      const first = yield* startService({ SEXTANT_DATA_DIR: yield* dataDirectory })
      const { port } = new URL(first.baseUrl)
      const directory = join(folder, "second")
      const { code, stderr, stdout } = yield* sextant(["serve"], { ...two, PORT: port, SEXTANT_DATA_DIR: directory })
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.strictEqual(stderr, `PORT ${port} of 127.0.0.1 is in use by another process: set PORT to a free one\n`)
      assert.isFalse(existsSync(directory))
    }), waiting)

  it.live("drain when the first process, which serves nothing itself, is killed", () =>
    Effect.gen(function*() {
      const service = yield* startService({ ...two, SEXTANT_DATA_DIR: yield* dataDirectory })
      const all = processesOf(service)
      assert.strictEqual(all.length, 2)
      yield* service.kill("SIGKILL")
      assert.isTrue(yield* eventually(() => !all.some(isAlive)))
    }), waiting)

  it.live("count an account's quota and an address's failed keys together", () =>
    Effect.gen(function*() {
      const service = yield* startService({
        ...two, SEXTANT_DATA_DIR: yield* dataDirectory, SEXTANT_RATE_LIMIT: "12", SEXTANT_FAILED_KEYS_PER_MINUTE: "6"
      })
      const askMany = (count: number) =>
        Effect.forEach(Array.from({ length: count }), () =>
          Effect.map(alone(service, "/v1/recommend", task), ({ status }) => status))
      assert.deepStrictEqual(yield* askMany(12), Array.from({ length: 12 }, () => 200))
      yield* Effect.sleep("500 millis")
      // One comes back every five seconds; each process by itself would have six left.
      assert.isAtLeast((yield* askMany(8)).filter((status) => status === 429).length, 4)

      const stranger = { ...service, key: "sxt_acme_k2_canary0123456789abcdef0123456789abcdef" }
      const failed = yield* Effect.forEach(Array.from({ length: 6 }), () => alone(stranger, "/v1/models"))
      assert.deepStrictEqual(failed.map(({ status }) => status), Array.from({ length: 6 }, () => 401))
      yield* Effect.sleep("500 millis")
      const later = yield* Effect.forEach(Array.from({ length: 4 }), () => alone(stranger, "/v1/models"))
      assert.deepStrictEqual(later.map(({ status }) => status), [429, 429, 429, 429])
    }), 120_000)
})

describe.skipIf(postgresServer === null)("two processes on one port and PostgreSQL", () => {
  it.live("complete every accepted request at SIGTERM, however often it is sent", () =>
    Effect.gen(function*() {
      const service = yield* startService({
        ...two, DATABASE_URL: yield* database, SEXTANT_DATA_DIR: yield* temporaryDirectory
      })
      const all = processesOf(service)
      const answers: Array<Answer> = []
      const asker = (name: number) =>
        Effect.gen(function*() {
          for (let turn = 0; (answers.at(-1)?.status ?? 200) === 200; turn++) {
            answers.push(yield* alone(service, "/v1/recommend", { task: { task: `Write function ${turn} of ${name}` } }))
          }
        })
      const signals = Effect.gen(function*() {
        yield* eventually(() => answers.length >= 100)
        yield* service.kill("SIGTERM")
        yield* Effect.sleep("20 millis")
        return yield* stopService(service)
      })
      const [code] = yield* Effect.all([
        signals, Effect.forEach(Array.from({ length: 16 }, (_, n) => n), asker, { concurrency: "unbounded" })
      ], { concurrency: "unbounded" })
      assert.strictEqual(code, 0, service.stderr())
      // A connection that was refused, or closed before its request was read, has no answer; none has half of one.
      const others = answers.filter(({ status }) => status !== 200)
      assert.deepStrictEqual(others.filter(({ status, text }) => status !== 0 || !/ECONNREFUSED|ECONNRESET|hang up/.test(text)), [])
      assert.deepStrictEqual(all.filter(isAlive), [])
    }), 120_000)
})
