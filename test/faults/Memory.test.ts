import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "../support/Databases.ts"
import { sendRequest, startService, startMemory, umbrellaKey } from "../support/Service.ts"
import { inTime, type Traffic, trafficOf, warningsOf } from "./invariants.ts"
import { type Fault, makeProxy, none } from "./proxy.ts"
import {
  database, type ExternalWorld, withExternalMemory, hasServer, isFullRun, preloaded, recallBudgetMs, fixedSettings
} from "./setup.ts"

const limits = { excludeTestServices: true, timeout: "180 seconds" } as const

class World extends Context.Service<World, ExternalWorld>()("test/faults/Memory/World") {
  static readonly layer = Layer.effect(World, withExternalMemory())
}

/** The fault holds while `during` runs; then all is well within seconds, and nothing was lost. */
const through = Effect.fnUntraced(function*<E>(
  during: (traffic: Traffic, world: ExternalWorld) => Effect.Effect<void, E>
) {
  const world = yield* World
  const traffic = trafficOf(world.service)
  yield* traffic.recovers
  yield* during(traffic, world).pipe(
    Effect.ensuring(Effect.sync(() => world.front.state.script = null)),
    Effect.ensuring(world.proxy.set(none))
  )
  yield* traffic.recovers
  yield* traffic.countedOnce
})

const out = ["memory_unavailable"]
/** A verified success would also have become a lesson. */
const lost = ["memory_write_failed", "lesson_promotion_failed"]
/** Too slow until the breaker opens, then out. */
const slowOrOut = (warnings: ReadonlyArray<string>) =>
  assert.include([["recall_timeout"], out].map(String), String(warnings))

describe.skipIf(!hasServer)("a service whose memory is external", () => {
  layer(World.layer, limits)((it) => {
    it.effect("answers from priors with memory_unavailable while the memory refuses connections", () =>
      through((traffic, { proxy, service }) =>
        Effect.gen(function*() {
          yield* proxy.set({ kind: "refuse" })
          const answers = yield* traffic.recommend(15)
          for (const { decisionBasis, warnings } of answers.answers) {
            assert.deepStrictEqual([decisionBasis, warnings], ["prior", out])
          }
          // Refused at once, and after five by the breaker unasked.
          inTime(answers, 0)
          for (const answer of answers.answers.slice(0, 3)) {
            assert.deepStrictEqual(yield* traffic.told(answer), lost)
          }
          assert.deepStrictEqual(yield* traffic.insight, out)
          const stranger = { ...service, key: umbrellaKey }
          assert.strictEqual((yield* sendRequest(stranger, "/v1/recommend", { task: { task: "x" } })).status, 503)
          assert.deepStrictEqual(yield* trafficOf(stranger).insight, out)
        })))

    it.effect.runIf(isFullRun)("uses a memory that answers within the recall budget, and warns recall_timeout beyond it", () =>
      through((traffic, { proxy }) =>
        Effect.gen(function*() {
          yield* proxy.set({ kind: "latency", ms: 20 })
          const under = yield* traffic.recommend(7)
          inTime(under, recallBudgetMs)
          assert.isTrue(under.answers.some(({ warnings }) => warnings.length === 0), String(warningsOf(under)))
          for (
            const fault of [{ kind: "latency", ms: 400 }, { kind: "trickle", bytes: 1, everyMs: 20 }] as const
          ) {
            yield* proxy.set(fault)
            const over = yield* traffic.recommend(7)
            for (const warnings of warningsOf(over)) slowOrOut(warnings)
            assert.strictEqual(String(over.answers[0]?.warnings), "recall_timeout")
            inTime(over, recallBudgetMs)
            yield* proxy.set(none)
            yield* traffic.recovers
          }
        })))

    const mute: Readonly<Record<string, Fault>> = {
      "never answers": { kind: "black hole" },
      "is half open": { kind: "half open" }
    }
    for (const [name, fault] of Object.entries(mute)) {
      it.effect.runIf(isFullRun || fault.kind === "black hole")(`answers in time when the connection ${name}, and keeps the feedback`, () =>
        through((traffic, { proxy }) =>
          Effect.gen(function*() {
            yield* proxy.set(fault)
            const answers = yield* traffic.recommend(8)
            // New connections of a half-open path work at once.
            if (fault.kind === "black hole") for (const warnings of warningsOf(answers)) slowOrOut(warnings)
            inTime(answers, recallBudgetMs)
            const [answer] = answers.answers
            assert.isDefined(answer)
            if (answer === undefined) return
            const told = yield* traffic.told(answer)
            if (fault.kind === "black hole") {
              assert.deepStrictEqual(told, lost)
              assert.deepStrictEqual(yield* traffic.insight, out)
            }
          })))
    }

    for (const status of [403, 429, 500, 503]) {
      it.effect.runIf(isFullRun || status === 429)(`takes a memory that answers ${status} for out, and never blames the caller's key`, () =>
        through((traffic, { front }) =>
          Effect.gen(function*() {
            front.state.script = (_request, response) => {
              response.writeHead(status, status === 429 ? { "retry-after": "1" } : {}).end()
              return "answered"
            }
            const before = front.heard.length
            const answers = yield* traffic.recommend(8)
            for (const warnings of warningsOf(answers)) assert.deepStrictEqual(warnings, out)
            inTime(answers, recallBudgetMs)
            // A key that is asked to wait is not asked again; a backend that fails five times is left alone.
            if (status === 429) assert.isAtMost(front.heard.length - before, 3)
            else if (status >= 500) assert.isAtMost(front.heard.length - before, 7)
            const [answer] = answers.answers
            if (answer !== undefined) assert.deepStrictEqual(yield* traffic.told(answer), lost)
          })))
    }

    it.effect.runIf(isFullRun)("calls an unstable memory no more often than it is called itself", () =>
      through((traffic, { proxy }) =>
        Effect.gen(function*() {
          const before = proxy.seen.requests
          const flapping = yield* Effect.forkChild(Effect.forever(Effect.gen(function*() {
            yield* proxy.set({ kind: "reset", afterBytes: 0 })
            yield* Effect.sleep("500 millis")
            yield* proxy.set(none)
            yield* Effect.sleep("500 millis")
          })))
          const until = Date.now() + (isFullRun ? 10_000 : 3_000)
          let asked = 0
          while (Date.now() < until) {
            const { answers: [answer] } = yield* traffic.recommend(1)
            asked++
            if (answer?.warnings.includes("memory_unavailable") === true) {
              assert.deepStrictEqual<ReadonlyArray<string>>(answer.warnings, out)
            }
          }
          yield* Fiber.interrupt(flapping)
          assert.isAtMost(proxy.seen.requests - before, 1.1 * asked)
        })))
  })

  layer(World.layer, limits)("beside another service on the same ledger", (it) => {
    it.effect.runIf(isFullRun)("warns only on the side that is disconnected, and feedback of both sides counts once", () =>
      Effect.gen(function*() {
        const { front, proxy, service } = yield* World
        const second = yield* makeProxy(front.port)
        const other = yield* startService({
          ...fixedSettings, DATABASE_URL: yield* database, SEXTANT_BOOTSTRAP_KEYS: "",
          SEXTANT_MEMORY_URL: `http://127.0.0.1:${second.port}`
        })
        const [here, there] = [trafficOf(service), trafficOf(other)]
        yield* here.recovers
        yield* there.recovers
        yield* proxy.set({ kind: "black hole" })
        const cut = yield* here.recommend(7)
        for (const warnings of warningsOf(cut)) slowOrOut(warnings)
        inTime(cut, recallBudgetMs)
        const whole = yield* there.recommend(7)
        assert.isTrue(warningsOf(whole).every((warnings) => !warnings.includes("memory_unavailable")))
        for (const answer of cut.answers) assert.deepStrictEqual(yield* here.told(answer), lost)
        for (const answer of whole.answers) yield* there.told(answer)
        yield* proxy.set(none)
        yield* here.recovers
        yield* here.countedOnce
        yield* there.countedOnce
      }))
  })

  layer(Layer.empty, limits)("that is not there yet", (it) => {
    it.effect.runIf(isFullRun)("starts without its memory, is alive, and uses the memory as soon as it is up", () =>
      Effect.gen(function*() {
        const url = yield* database
        const memory = yield* startMemory({ DATABASE_URL: url })
        const proxy = yield* makeProxy(Number(new URL(memory.baseUrl).port))
        yield* proxy.set({ kind: "refuse" })
        const service = yield* startService({
          ...fixedSettings, DATABASE_URL: yield* database, SEXTANT_BOOTSTRAP_KEYS: "",
          SEXTANT_MEMORY_URL: `http://127.0.0.1:${proxy.port}`
        })
        const traffic = trafficOf(service)
        assert.strictEqual((yield* sendRequest({ ...service, key: "" }, "/v1/health")).status, 200)
        // A key that was never seen cannot be verified while its store is out.
        assert.strictEqual((yield* sendRequest(service, "/v1/recommend", { task: { task: "x" } })).status, 503)
        assert.deepStrictEqual(yield* traffic.insight, out)
        yield* proxy.set(none)
        yield* traffic.recovers
        yield* traffic.countedOnce
      }))

    it.effect.runIf(isFullRun)("treats an unresolved name as an outage, and finds the memory at its new address", () =>
      Effect.gen(function*() {
        const memory = yield* startMemory({ DATABASE_URL: yield* database })
        const target = Number(new URL(memory.baseUrl).port)
        const [first, moved] = [yield* makeProxy(target), yield* makeProxy(target, "127.0.0.2")]
        const hosts = join(yield* temporaryDirectory, "hosts.json")
        const name = (known: object) => Effect.sync(() => writeFileSync(hosts, JSON.stringify(known)))
        yield* name({ "memory.test": "127.0.0.1" })
        const service = yield* startService({
          ...fixedSettings, ...preloaded, DATABASE_URL: yield* database, SEXTANT_BOOTSTRAP_KEYS: "",
          FAULTS_HOSTS: hosts, SEXTANT_MEMORY_URL: `http://memory.test:${first.port}`
        })
        const traffic = trafficOf(service)
        yield* traffic.recovers
        // The name is gone, and so are the connections that were made under it.
        yield* name({})
        yield* first.set({ kind: "refuse" })
        const answers = yield* traffic.recommend(8)
        for (const warnings of warningsOf(answers)) assert.deepStrictEqual(warnings, out)
        inTime(answers, 0)
        // The address changes; the port stays.
        yield* moved.listenOn(first.port)
        yield* name({ "memory.test": "127.0.0.2" })
        yield* traffic.recovers
        yield* traffic.countedOnce
      }))
  })
})
