// Several real processes on one port: they answer alike, replace one another, and end together.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { request } from "node:http"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { feedbackOn } from "../cluster/drill.ts"
import { joined, killProcess, processesOf } from "../cluster/topology.ts"
import { lived } from "../support/builders.ts"
import { dataDirectory } from "../support/Databases.ts"
import {
  awaitLog, type Answer, requestJson, type Service, startService, stopService
} from "../support/Service.ts"

const two = { SEXTANT_PROCESSES: "2" }

/** A service of two processes, once both serve. */
const startTwo = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
  const service = yield* startService({ ...two, ...environment })
  yield* joined(service, 1)
  return service
})

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}/exe`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")

const eventually = (isSo: () => boolean) =>
  Effect.sync(isSo).pipe(Effect.repeat({ until: Boolean, schedule: Schedule.spaced("50 millis"), times: 1_200 }))

/** One request on a new connection, because connections go to the processes in turns. */
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
    // Both processes cache the lane before the feedback.
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

/** Sends SIGTERM twice under load: each request that was accepted gets a whole answer, and each process ends. */
const drains = Effect.fnUntraced(function*(service: Service) {
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
    signals, Effect.forEach(Array.from({ length: 8 }, (_, n) => n), asker, { concurrency: "unbounded" })
  ], { concurrency: "unbounded" })
  assert.strictEqual(code, 0, service.stderr())
  // A connection that was refused, or closed before its request was read, has no answer. No answer is cut.
  const [whole, others] = [answers.filter(({ status }) => status === 200), answers.filter(({ status }) => status !== 200)]
  assert.isTrue(whole.every(({ text }) => "recommendation_id" in JSON.parse(text)))
  assert.deepStrictEqual(others.filter(({ status, text }) => status !== 0 || !/ECONNREFUSED|ECONNRESET|hang up/.test(text)), [])
  assert.deepStrictEqual(all.filter(isAlive), [])
})

describe("two processes on one port", () => {
  it.live("learn together, outlive a killed one, and complete every accepted request at SIGTERM", () =>
    Effect.gen(function*() {
      const service = yield* startTwo({ SEXTANT_DATA_DIR: yield* dataDirectory })
      assert.match(service.stdout(), /^Sextant is ready at .*, 2 processes\)\n$/)
      yield* learnTogether(service)
      yield* killProcess(service)
      for (let i = 0; i < 8; i++) assert.strictEqual((yield* alone(service, "/v1/recommend", task)).status, 200)
      yield* drains(service)
    }), 240_000)

  it.live("replace one that ends again and again after growing pauses, and drain without the first", () =>
    Effect.gen(function*() {
      const service = yield* startTwo({ SEXTANT_DATA_DIR: yield* dataDirectory })
      for (const pauseMs of [200, 400, 800]) {
        assert.isTrue(yield* eventually(() => processesOf(service).length === 2))
        process.kill(processesOf(service).at(-1) ?? 0, "SIGKILL")
        yield* awaitLog(service, new RegExp(`has ended; starting another.*slot=2 ended=SIGKILL pauseMs=${pauseMs}`))
      }
      assert.strictEqual((yield* alone(service, "/v1/recommend", task)).status, 200)
      // The log names a process by its place on the port, which a replacement keeps.
      yield* awaitLog(service, /This process of the service serves, too.*process=2[\s\S]*serves, too.*process=2/)
      assert.notMatch(service.stderr() + service.stdout(), /process=[^12]/)

      // The first process serves nothing itself.
      assert.isTrue(yield* eventually(() => processesOf(service).length === 2))
      const all = processesOf(service)
      yield* service.kill("SIGKILL")
      assert.isTrue(yield* eventually(() => !all.some(isAlive)))
    }), 240_000)

  it.live("share quotas and failed keys, and end with the first one, which kills one that is blocked", () =>
    Effect.gen(function*() {
      const service = yield* startTwo({
        SEXTANT_DATA_DIR: yield* dataDirectory, SEXTANT_RATE_LIMIT: "12", SEXTANT_FAILED_KEYS_PER_MINUTE: "6"
      })
      const statuses = (count: number, ask: Effect.Effect<Answer>) =>
        Effect.map(Effect.forEach(Array.from({ length: count }), () => ask), (answers) =>
          answers.map(({ status }) => status))
      const asked = yield* statuses(12, alone(service, "/v1/recommend", task))
      assert.deepStrictEqual(asked, Array.from({ length: 12 }, () => 200))
      // One request is allowed again every five seconds. Processes with a whole quota each would have twelve left.
      const more = yield* statuses(8, alone(service, "/v1/recommend", task))
      assert.isAtLeast(more.filter((status) => status === 429).length, 4)

      const stranger = { ...service, key: "sxt_acme_k2_canary0123456789abcdef0123456789abcdef" }
      const failed = yield* statuses(10, alone(stranger, "/v1/models"))
      assert.deepStrictEqual(failed, [401, 401, 401, 401, 401, 401, 429, 429, 429, 429])

      const all = processesOf(service)
      process.kill(all.at(-1) ?? 0, "SIGSTOP")
      // A blocked process delays the end of the service longer than `stopService` waits.
      const code = yield* Effect.andThen(service.kill("SIGTERM"), service.exitCode).pipe(Effect.timeout("60 seconds"))
      assert.strictEqual(code, 1)
      assert.match(service.stderr(), /did not end, and was killed.*slot=2/)
      assert.deepStrictEqual(all.filter(isAlive), [])
    }), 240_000)
})

describe("a service of one process", () => {
  it.live("completes every accepted request at SIGTERM, once or twice", () =>
    Effect.gen(function*() {
      yield* drains(yield* startService({ SEXTANT_DATA_DIR: yield* dataDirectory }))
    }), 240_000)
})
