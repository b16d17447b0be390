import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { connect, type Socket } from "node:net"
import { acmeKey, sendRequest, canary, type Service, startService, stopService } from "../support/Service.ts"
import { trafficOf } from "./invariants.ts"
import { database, hasServer, isFullRun, fixedSettings } from "./setup.ts"

/** Node's own limit of the old generation, MB. */
const heapMb = 220
/** Of each account no more than even a busy service lets in; together they are more than that limit. */
const bodiesPerAccount = 7
const keys = Array.from({ length: 60 }, (_, n) => `sxt_account-${n}_k1_${canary}`)

/** Under the 1,000,000 bytes that a body may have. */
const body = JSON.stringify({ task: { task: "fix ".repeat(225_000), task_type: "code" } })

interface Held {
  readonly socket: Socket
  readonly said: () => string
}

/** Sends a body but for its last byte, and so has the service keep the rest. */
const holding = ({ baseUrl }: Service, key: string) =>
  Effect.callback<Held>((resume) => {
    const { hostname, port } = new URL(baseUrl)
    const socket = connect({ port: Number(port), host: hostname })
    let said = ""
    const held = { socket, said: () => said }
    socket.setEncoding("utf8").on("data", (chunk: string) => said += chunk)
    socket.on("error", () => socket.destroy()).once("close", () => resume(Effect.succeed(held)))
    socket.write(`POST /v1/recommend HTTP/1.1\r\nhost: sextant\r\nauthorization: Bearer ${key}\r\n`
      + `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`)
    socket.write(body.slice(0, -1), () => resume(Effect.succeed(held)))
  })

describe.skipIf(!hasServer)("a service", () => {
  it.live.runIf(isFullRun)("refuses bodies for which it has no room, and answers accepted and small ones meanwhile", () =>
    Effect.gen(function*() {
      const service = yield* startService({
        ...fixedSettings, DATABASE_URL: yield* database, NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
        SEXTANT_BOOTSTRAP_KEYS: [acmeKey, ...keys].join()
      })
      const traffic = trafficOf(service)
      yield* traffic.recovers
      // Keys are verified once, which takes its time.
      yield* Effect.forEach(keys, (key) =>
        Effect.map(sendRequest({ ...service, key }, "/v1/strategies"), ({ status, text }) => assert.strictEqual(status, 200, text)),
      { concurrency: 2 })
      const held = yield* Effect.forEach(
        Array.from({ length: bodiesPerAccount }, () => keys).flat(),
        (key) => Effect.timeoutOption(holding(service, key), "10 seconds"),
        { concurrency: "unbounded" }
      ).pipe(Effect.map((all) => all.flatMap((each) => Option.isSome(each) ? [each.value] : [])))
      yield* Effect.sleep("1 second")
      const refused = held.filter(({ said }) => said() !== "")
      for (const { said } of refused) assert.match(said(), /^HTTP\/1.1 (503|429|408) /)
      assert.isTrue(refused.some(({ said }) => said().includes("is overloaded")))
      const small = yield* sendRequest(service, "/v1/recommend", { task: { task: "Fix this failing unit test" } })
      assert.strictEqual(small.status, 200, small.text)
      // Room stays for a report, however its client writes the path.
      const report = yield* sendRequest(service, "//V1/Feedback", { notes: "x".repeat(900_000) })
      assert.strictEqual(report.status, 400, report.text)
      // Whoever asks how it is, is told.
      assert.strictEqual((yield* sendRequest(service, "/v1/health")).status, 200)
      const waiting = held.filter(({ said }) => said() === "")
      assert.isNotEmpty(waiting)
      for (const { socket } of waiting) socket.write(body.slice(-1))
      yield* Effect.sleep("5 seconds")
      const answers = held.map(({ said }) => said().slice(9, 12))
      console.log(`${waiting.length} of ${held.length} bodies of ${body.length} bytes held at ${heapMb} MB; then`,
        [...new Set(answers)].map((status) => `${status}: ${answers.filter((each) => each === status).length}`).join(", "))
      for (const { said } of waiting) assert.match(said(), /^HTTP\/1.1 (200|429|408) /)
      for (const { socket } of held) socket.destroy()
      yield* traffic.recovers
      yield* traffic.countedOnce
      assert.notInclude(service.stderr(), "heap out of memory")
      assert.strictEqual(yield* stopService(service), 0)
    }))

  it.live.runIf(isFullRun)("survives complete bodies larger than its heap in all, with 200s and refusals only", () =>
    Effect.gen(function*() {
      const service = yield* startService({
        ...fixedSettings, DATABASE_URL: yield* database, NODE_OPTIONS: "--max-old-space-size=120",
        SEXTANT_BOOTSTRAP_KEYS: [acmeKey, ...keys].join()
      })
      const traffic = trafficOf(service)
      yield* traffic.recovers
      const large = { task: { task: "fix ".repeat(225_000), task_type: "code" } }
      const answers = yield* Effect.forEach(Array.from({ length: 5 }, () => keys).flat(), (key) =>
        Effect.map(sendRequest({ ...service, key }, "/v1/recommend", large), ({ status }) => status),
      { concurrency: "unbounded" })
      const counts = Object.entries(Object.groupBy(answers, String)).map(([status, all]) => `${status}: ${all?.length}`)
      console.log(`${answers.length} complete bodies of 0.9 MB at once at 120 MB:`, counts.join(", "))
      for (const status of answers) assert.include([200, 408, 429, 503], status)
      assert.include(answers, 200)
      assert.include(answers, 503)
      yield* traffic.recovers
      yield* traffic.countedOnce
      assert.notInclude(service.stderr(), "heap out of memory")
      assert.strictEqual(yield* stopService(service), 0)
    }))
})
