import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { Socket } from "node:net"
import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import { AccountId } from "../../../src/domain/Scope.ts"
import type { LaneId } from "../../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { teach } from "../../../src/memory/DirectWrites.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import { memoryClientSettings } from "../../../src/memory/remote/MemoryBackend.ts"
import type * as MemoryClient from "../../../src/memory/remote/MemoryClient.ts"
import * as MemoryHttp from "../../../src/memory/remote/MemoryHttp.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { asRequestOf, badKeyOf, keyOf, layerCalledWithKeys } from "../../support/CallerKeys.ts"
import { embedded, slow } from "../../support/Databases.ts"
import { rawBackend, servedMemory } from "../backend.ts"
import { freshAccount, freshScope, observationIn, promptSettings, queryIn } from "../fixtures.ts"
import { memoryContract } from "../MemoryContract.ts"

const sql = MemorySql.layer({ endpoint: "embedded", settings: promptSettings })
  .pipe(Layer.provide([EmbedderLexical.layer, embedded]))

/** The driver over a backend, asked with each account's own key. */
const over = <E, R>(backend: Layer.Layer<MemoryClient.MemoryClient, E, R>) =>
  MemoryHttp.layer.pipe(Layer.provide(backend), layerCalledWithKeys)

layer(over(servedMemory(sql)), slow)("MemoryHttp", (it) => {
  memoryContract(it, false)

  it.effect("the account of a request is the account of its key, whichever account the caller names", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      yield* teach(memory, observationIn(scope))
      const asThief = asRequestOf(scope.accountId, keyOf(freshAccount()))
      assert.strictEqual((yield* asThief(memory.recall(queryIn(scope)))).laneSize, 0)
      const accountId = AccountId.make("someone-else")
      const asOwner = asRequestOf(accountId, keyOf(scope.accountId))
      assert.strictEqual((yield* asOwner(memory.recall(queryIn({ ...scope, accountId })))).laneSize, 1)
    }))

  it.effect("a key that the backend refuses makes memory fail with the reason Unauthorized", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const key = badKeyOf(scope.accountId)
      const failure = yield* Effect.flip(asRequestOf(scope.accountId, key)(memory.recall(queryIn(scope))))
      assert.strictEqual(failure.reason._tag, "Unauthorized")
      assert.notInclude(JSON.stringify(failure), Redacted.value(key))
    }))

  it.effect("ping names the backend", () =>
    Effect.gen(function*() {
      const { endpoint } = yield* (yield* Memory).ping(freshAccount())
      assert.match(endpoint, /^http:\/\/127\.0\.0\.1:\d+$/)
    }))
})

const recalledBy = (
  backend: ReturnType<typeof rawBackend>
) => Memory.use((memory) => memory.recall(queryIn(freshScope()))).pipe(
  Effect.provide(over(backend))
)

const json = { "content-type": "application/json" }
const neighbour = {
  entryId: "e1", modelId: "alpha", cluster: "code:easy", similarity: 0.5, reliability: 0.9, quality: 1,
  ageDays: 1, isStale: false, provenanceWeight: 1, propensity: null, inputTokens: null, outputTokens: null,
  costUsd: null, latencyMs: null, timeToFirstTokenMs: null, currentShare: 1, isCostOutlier: false
}
const answered = {
  neighbours: [neighbour], measurements: [], tallies: [], laneSize: 1
}

describe("An answer of the backend", () => {
  it.live("is reduced to what was requested: other models, repeats and surplus entries are dropped", () =>
    Effect.gen(function*() {
      const { neighbours } = yield* recalledBy(rawBackend((_request, response) => {
        response.writeHead(200, json).end(JSON.stringify({
          ...answered,
          neighbours: [
            neighbour, neighbour, { ...neighbour, entryId: "e2", modelId: "never-asked" },
            ...Array.from({ length: 9 }, (_, n) => ({ ...neighbour, entryId: `more${n}` }))
          ]
        }))
      }))
      assert.deepStrictEqual([...neighbours].map(({ entryId }) => entryId), ["e1", "more0", "more1", "more2", "more3"])
    }))

  for (const status of [400, 409, 413, 422]) {
    it.live(`with status ${status} and no problem body is a rejection and no outage`, () =>
      Effect.gen(function*() {
        let heard = 0
        const backend = rawBackend((request, response) => {
          heard++
          request.resume()
          response.writeHead(status, { "content-type": "text/html" }).end("<html>")
        })
        const troubles = yield* Effect.provide(
          Memory.use((memory) => Effect.replicateEffect(Effect.flip(memory.recall(queryIn(freshScope()))), 7)),
          over(backend)
        )
        assert.deepStrictEqual(troubles.map(({ reason }) => reason._tag), Array(7).fill("Rejected"))
        assert.strictEqual(heard, 7)
        assert.notInclude(inspect(troubles, { depth: null, showHidden: true }), "0123456789abcdef")
      }))
  }

  const bad: ReadonlyArray<readonly [string, string | Buffer, number?, Readonly<Record<string, string>>?]> = [
    ["HTML", "<html>", 200, { "content-type": "text/html" }],
    ["truncated JSON", "{\"neighbours\":["],
    ["of wrong types", JSON.stringify({ ...answered, laneSize: "many" })],
    ["with a reliability over 1", JSON.stringify({ ...answered, neighbours: [{ ...neighbour, reliability: 2 }] })],
    ["with a negative cost", JSON.stringify({ ...answered, neighbours: [{ ...neighbour, costUsd: -1 }] })],
    ["empty", ""],
    ["a redirect", "", 302, { location: "http://127.0.0.1:1/" }],
    ["a 500 without a body", "", 500],
    ["a 402", "no credit", 402],
    ["a 403", "{}", 403],
    ["a 404", "{}", 404],
    ["a 408", "{}", 408],
    ["a 429", "slow down", 429, { "retry-after": "1" }],
    ["larger than 4 MB", Buffer.alloc(5_000_000, 0x20)],
    ["of 100,000 brackets", "[".repeat(100_000) + "]".repeat(100_000)],
    ["with a score that is no number", JSON.stringify(answered).replace("0.5", "NaN")],
    ["with a score that is infinite", JSON.stringify(answered).replace("0.5", "1e400")],
    ["50 MB, compressed", gzipSync(Buffer.alloc(50_000_000, 0x20)), 200, { ...json, "content-encoding": "gzip" }]
  ]
  for (const [name, body, status = 200, headers = json] of bad) {
    it.live(`that is ${name} makes memory unreachable`, () =>
      Effect.gen(function*() {
        const failure = yield* Effect.flip(recalledBy(rawBackend((_request, response) => {
          response.writeHead(status, headers).end(body)
        })))
        assert.strictEqual(failure._tag, "MemoryUnavailable")
        assert.strictEqual(failure.reason._tag, "Unreachable")
        assert.notInclude(inspect(failure, { depth: null, showHidden: true }), "0123456789abcdef")
      }))
  }

  it.live("without an end is not read past 4 MB", () =>
    Effect.gen(function*() {
      let sent = 0
      const failure = yield* Effect.flip(recalledBy(rawBackend((_request, response) => {
        response.writeHead(200, json)
        const more = (): void => {
          while (!response.destroyed && sent < 100_000_000) {
            sent += 65_536
            if (!response.write(Buffer.alloc(65_536, 0x20))) return void response.once("drain", more)
          }
        }
        more()
      })))
      assert.strictEqual(failure._tag, "MemoryUnavailable")
      assert.isBelow(sent, 50_000_000)
    }))

  it.live("cut off by the end of the connection, or that is no HTTP, makes memory unreachable", () =>
    Effect.gen(function*() {
      const ends: ReadonlyArray<(socket: Socket) => void> = [
        (socket) => socket.destroySoon(), (socket) => socket.resetAndDestroy(), (socket) => socket.end("\u0001noise\r\n")
      ]
      for (const [begins, end] of [true, false].flatMap((begins) => ends.map((end) => [begins, end] as const))) {
        const failure = yield* Effect.flip(recalledBy(rawBackend((request, response) => {
          if (begins) response.writeHead(200, { ...json, "content-length": "100" }).write("{", () => end(request.socket))
          else end(request.socket)
        })))
        assert.strictEqual(failure.reason._tag, "Unreachable")
        assert.notInclude(inspect(failure, { depth: null, showHidden: true }), "0123456789abcdef")
      }
    }))

  it.live("that never comes is a timeout after the client's limit", () =>
    Effect.gen(function*() {
      const failure = yield* Effect.flip(recalledBy(rawBackend(() => {}, { requestTimeoutMs: 100 })))
      assert.strictEqual(failure.message, "No answer within 100 ms")
    }))
})

describe("A backend that accepts requests and never answers", () => {
  it.live("is not asked after five recalls that were given up, and later recalls fail at once", () =>
    Effect.gen(function*() {
      let asked = 0
      const breaker = { ...memoryClientSettings.breaker, slowMs: 20, openMs: 60_000 }
      const backend = rawBackend(() => void asked++, { breaker })
      yield* Effect.gen(function*() {
        const memory = yield* Memory
        const recall = Effect.flip(Effect.timeout(memory.recall(queryIn(freshScope())), "40 millis"))
        for (let turn = 0; turn < 5; turn++) assert.strictEqual((yield* recall)._tag, "TimeoutError")
        for (let turn = 0; turn < 5; turn++) {
          const failure = yield* recall
          assert.strictEqual(failure._tag === "MemoryUnavailable" ? failure.reason._tag : failure._tag, "NotSent")
        }
      }).pipe(Effect.provide(over(backend)))
      assert.isAtMost(asked, 5)
    }))
})

describe("A backend that asks to wait", () => {
  const limited = { type: "about:blank", title: "Too many requests", status: 429, detail: "later" }
  /** Answers so to the key of `one`, and well to all others. */
  const against = (one: LaneId, status: number, retryAfter: string, heard: Array<string>) =>
    rawBackend((request, response) => {
      request.resume()
      const isOne = request.headers.authorization === `Bearer ${Redacted.value(keyOf(one.accountId))}`
      heard.push(isOne ? "one" : "other")
      if (isOne) {
        response.writeHead(status, { "content-type": "application/problem+json", "retry-after": retryAfter })
          .end(JSON.stringify({ ...limited, status }))
      } else response.writeHead(200, json).end(JSON.stringify(answered))
    })
  const asking = Effect.fnUntraced(function*(one: LaneId) {
    const memory = yield* Memory
    const ask = (scope: LaneId) =>
      Effect.match(memory.recall(queryIn(scope)), {
        onSuccess: () => "well",
        onFailure: (failure) => `${failure.reason._tag} ${Math.ceil(failure.retryAfterMs / 1_000)}`
      })
    return [
      ...(yield* Effect.replicateEffect(ask(one), 7)),
      yield* ask(freshScope())
    ]
  })
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()

  for (const [status, retryAfter, seconds] of [[429, "30", 30], [429, inAnHour, 60], [503, "30", 30]] as const) {
    it.live(`with a ${status} until ${retryAfter} gets no more of that account, others' as before`, () =>
      Effect.gen(function*() {
        const [one, heard] = [freshScope(), [] as Array<string>]
        const backend = over(against(one, status, retryAfter, heard))
        const answers = yield* Effect.provide(asking(one), backend)
        assert.deepStrictEqual(answers, [`Unreachable ${seconds}`, ...Array(6).fill(`NotSent ${seconds}`), "well"])
        assert.deepStrictEqual(heard, ["one", "other"])
      }))
  }

  it.live("with five 503s in a row gets no requests for the circuit's second, not its header's 30 s", () =>
    Effect.gen(function*() {
      let heard = 0
      const backend = rawBackend((request, response) => {
        heard++
        request.resume()
        response.writeHead(503, { "content-type": "text/plain", "retry-after": "30" }).end("busy")
      })
      const waits = yield* Effect.provide(
        Memory.use((memory) =>
          Effect.forEach(Array.from({ length: 7 }, freshScope), (scope) => Effect.flip(memory.recall(queryIn(scope))))),
        over(backend)
      )
      assert.deepStrictEqual(waits.map(({ reason }) => reason._tag), [...Array(5).fill("Unreachable"), "NotSent", "NotSent"])
      assert.isAtMost(waits[6]?.retryAfterMs ?? Infinity, 1_000)
      assert.strictEqual(heard, 5)
    }))

  it.live("with 429s without a usable time is asked again, and its circuit stays closed", () =>
    Effect.gen(function*() {
      for (const retryAfter of ["0", "soon", "-5", new Date(0).toUTCString()]) {
        const [one, heard] = [freshScope(), [] as Array<string>]
        const backend = over(against(one, 429, retryAfter, heard))
        const answers = yield* Effect.provide(asking(one), backend)
        assert.deepStrictEqual(answers, [...Array(7).fill("Unreachable 0"), "well"])
      }
    }))
})

describe("Connections", () => {
  it.live("are kept from one request to the next", () =>
    Effect.gen(function*() {
      const ports = new Set<number | undefined>()
      const backend = rawBackend((request, response) => {
        ports.add(request.socket.remotePort)
        request.resume().once("end", () => response.writeHead(200, json).end(JSON.stringify(answered)))
      })
      yield* Effect.gen(function*() {
        const memory = yield* Memory
        for (let turn = 0; turn < 10; turn++) yield* memory.recall(queryIn(freshScope()))
      }).pipe(Effect.provide(over(backend)))
      assert.strictEqual(ports.size, 1)
    }))
})
