// The built package in other runtimes: the oldest Node that is claimed, and one with nothing but the web's own names.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { createContext, runInContext } from "node:vm"
import { rolldown } from "rolldown"
import { type Built, buildCommand, nodes, runProgram } from "./support/Command.ts"
import { models, type RealService, startRealService } from "./support/RealService.ts"
import { answerOf } from "./support/Scripted.ts"

let built: Built
let service: RealService
beforeAll(async () => {
  built = buildCommand()
  service = await startRealService()
})
afterAll(() => service.close())

/** Runs a program after the client is made; yields its exit code and what it printed. */
const runWith = (node: string, program: string) => {
  const path = join(built.directory, `program-${Math.random()}.js`)
  const options = { baseUrl: service.baseUrl, apiKey: service.apiKey, models, defaultModelId: "dear", deadlineMs: 10_000 }
  writeFileSync(path, `import { createSextant } from ${JSON.stringify(pathToFileURL(join(built.directory, "dist/index.js")).href)}
const options = ${JSON.stringify(options)}
const sextant = createSextant(options)
${program}`)
  return runProgram(path, [], { node })
}

/** Declares a test that runs on every Node of the machine at once: most of its time is waiting. */
const onNodes = (title: string, check: (node: string) => Promise<void>): void =>
  it(title, async () => {
    await Promise.all([...nodes.values()].map(check))
  })

describe(`a program on Node ${[...nodes.keys()].join(" and ")}`, () => {
  onNodes("chooses, runs, reports, and ends by itself", async (node) => {
    service.set("up")
    const { code, stdout } = await runWith(node, `
const choice = await sextant.choose("Write a function that sums a list")
await choice.run((model) => model, { usage: () => ({ outputTokens: 3 }) })
choice.score(1)
console.log(JSON.stringify([choice.source, choice.recommendationId, await sextant.flush(), sextant.dropped()]))
`)
    assert.strictEqual(code, 0)
    const [source, id, isFlushed, dropped] = JSON.parse(stdout)
    assert.deepStrictEqual([source, isFlushed, dropped], ["service", true, 0])
    const reports = await service.reported(id, 2)
    assert.isTrue(reports.every(({ answer }) => answer.accepted))
  })

  onNodes("ends at once, though reports wait for another attempt", async (node) => {
    service.set("up")
    const { code, stdout } = await runWith(node, `
globalThis.fetch = async () => new Response("", { status: 503 })
for (let i = 0; i < 20; i++) sextant.score("r", 1)
setTimeout(() => console.log(sextant.pending()), 20)
process.on("exit", () => console.log("ended", Math.round(performance.now()) < 30_000))
`)
    assert.deepStrictEqual([code, stdout], [0, "20\nended true\n"])
  })

  onNodes("ends by itself, though the service never answers the report that is under way", async (node) => {
    service.set("silent")
    const { code, stdout } = await runWith(node, `
sextant.score("r", 1)
process.on("exit", () => console.log(sextant.pending()))
`)
    assert.deepStrictEqual([code, stdout], [0, "1\n"])
  })

  onNodes("that waits for its reports waits until they have gone", async (node) => {
    const { code, stdout } = await runWith(node, `
let failures = 2
globalThis.fetch = async () => failures-- > 0 ? new Response("", { status: 503 }) : Response.json({ accepted: true })
sextant.score("r", 1)
console.log(await sextant.flush(), sextant.dropped())
`)
    assert.deepStrictEqual([code, stdout], [0, "true 0\n"])
  })

  onNodes("says once for each reason why the default runs, unless it listens or wants no warning", async (node) => {
    service.set(401)
    const program = (over: string) => runWith(node, `
const other = createSextant({ ...options, ${over} })
for (const one of [other, other, createSextant({ ...options, ${over} })]) await one.choose("x")
await other.choose("x", { signal: AbortSignal.abort() })
for (let i = 0; i < 2; i++) await other.choose()
`)
    const { code, stderr } = await program("")
    const lines = stderr.trim().split("\n")
    assert.deepStrictEqual([code, lines.length], [0, 2])
    assert.match(lines[0] ?? "", /^sextant-client: the default model runs \(refused\): HTTP 401: \{\}$/)
    assert.match(lines[1] ?? "", /^sextant-client: the default model runs \(invalid_request\): /)
    const quiet = await Promise.all(["onDefault: () => {}", "warn: false"].map(program))
    assert.deepStrictEqual(quiet.map(({ stderr }) => stderr), ["", ""])
  })

  onNodes("goes on with the default while the service is down", async (node) => {
    service.set("down")
    const { code, stdout } = await runWith(node, `
const choice = await sextant.choose("x")
console.log(await choice.run((model) => model), choice.source, choice.reason)
`)
    assert.deepStrictEqual([code, stdout], [0, "dear default unreachable\n"])
  })
})

describe("a runtime that has the web's names alone, and timers that are numbers", () => {
  it("chooses, runs and reports", async () => {
    const bundle = await rolldown({ input: join(built.directory, "dist/index.js") })
    const { output: [{ code }] } = await bundle.generate({ format: "iife", name: "client" })
    const timers = new Map<number, NodeJS.Timeout>()
    const { accepted, answer } = { accepted: { accepted: true }, answer: answerOf("a") }
    const context = createContext({
      AbortController, AbortSignal, DOMException, ReadableStream, Response, TextDecoder, URL, crypto, performance,
      fetch: async (url: string) => Response.json(url.endsWith("/feedback") ? accepted : answer),
      setTimeout: (run: () => void, durationMs: number) => {
        timers.set(timers.size, setTimeout(run, durationMs))
        return timers.size - 1
      },
      clearTimeout: (timer: number) => clearTimeout(timers.get(timer))
    })
    const ran: unknown = await runInContext(`${code}
;(async () => {
  const sextant = client.createSextant({ baseUrl: "http://h", apiKey: "k", models: ["a", "b"], defaultModelId: "b" })
  const choice = await sextant.choose("x")
  const model = await choice.run((model) => model, { usage: () => ({ outputTokens: 3 }) })
  return JSON.stringify([model, choice.source, await sextant.flush(), sextant.dropped()])
})()`, context)
    assert.strictEqual(ran, JSON.stringify(["a", "service", true, 0]))
  })
})
