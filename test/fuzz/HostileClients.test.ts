import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect, type Socket } from "node:net"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { baseUrl, sendRequest, goodKey, fakeService } from "../http/FakeService.ts"

const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** What 9,500 idle connections or a slow reader may cost, in bytes: tens of kB for each end of each. */
const growthMax = 600e6

const portOf = Effect.map(baseUrl, (url) => Number(new URL(url).port))

/** A connection; errors of the server closing on us are what we came for. */
const open = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" })
    socket.on("error", () => resolve(socket))
    socket.once("connect", () => resolve(socket))
  })

/** Everything that comes back until the server closes. */
const untilClosed = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = ""
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1")
    })
    socket.once("close", () => resolve(text))
  })

/** What 200 clients get back who begin with these bytes, and then send so many more at a time. */
const dripped = (port: number, begin: string, drop: string): Promise<ReadonlyArray<string>> =>
  Promise.all(Array.from({ length: 200 }, () => open(port))).then((sockets) => {
    const drip = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write(drop)
    }, 400)
    for (const socket of sockets) socket.write(begin)
    return Promise.all(sockets.map(untilClosed)).finally(() => clearInterval(drip))
  })

const head = (length: number, ...more: ReadonlyArray<string>) =>
  [
    "POST /v1/recommend HTTP/1.1", "host: x", `authorization: Bearer ${goodKey}`, "content-type: application/json",
    `content-length: ${length}`, ...more, "", ""
  ].join("\r\n")

const works = Effect.gen(function*() {
  const { status } = yield* sendRequest("POST", "/v1/recommend", { json: { task: { task: "x" } } })
  assert.strictEqual(status, 200)
})

const post = (body: Uint8Array<ArrayBuffer> | string, headers: Record<string, string> = {}) =>
  sendRequest("POST", "/v1/recommend", { init: { body, headers: { "content-type": "application/json", ...headers } } })

layer(fakeService(), { excludeTestServices: true })("a client that means harm", (it) => {
  it.effect("is cut off when it sends its headers byte by byte", () =>
    Effect.gen(function*() {
      const port = yield* portOf
      const texts = yield* Effect.promise(() => dripped(port, "GET /v1/health HTTP/1.1\r\nhost: x\r\n", "x-a: b\r\n"))
      for (const text of texts) assert.match(text, /^HTTP\/1\.1 408 |^$/)
      yield* works
    }), 30_000)

  it.effect("is cut off when it sends its body byte by byte", () =>
    Effect.gen(function*() {
      const port = yield* portOf
      const texts = yield* Effect.promise(() => dripped(port, head(900_000), " "))
      // Of bodies so large an account may have 25 under way.
      for (const text of texts) assert.match(text, /^HTTP\/1\.1 (408|400|499|429) |^$/)
      assert.isAtLeast(texts.filter((text) => !text.startsWith("HTTP/1.1 429")).length, 20)
      yield* works
    }), 40_000)

  it.effect("does not fill the service's memory by never reading its answers", () =>
    Effect.gen(function*() {
      const port = yield* portOf
      const before = process.memoryUsage().rss
      const sockets = yield* Effect.promise(() => Promise.all(Array.from({ length: 20 }, () => open(port))))
      const request = "GET /docs HTTP/1.1\r\nhost: x\r\n\r\n"
      for (const socket of sockets) socket.pause().write(request.repeat(400))
      for (let i = 0; i < 20; i++) yield* works
      const grown = process.memoryUsage().rss - before
      for (const socket of sockets) socket.destroy()
      // All answers together would be some 10 GB.
      assert.isBelow(grown, growthMax)
    }), 150_000)

  it.effect("keeps 9,500 idle connections open without slowing others or filling memory", () =>
    Effect.gen(function*() {
      const port = yield* portOf
      const before = process.memoryUsage().rss
      const sockets: Array<Socket> = []
      for (let i = 0; i < 20; i++) {
        sockets.push(...yield* Effect.promise(() => Promise.all(Array.from({ length: 475 }, () => open(port)))))
      }
      yield* works
      const grown = process.memoryUsage().rss - before
      for (const socket of sockets) socket.destroy()
      assert.isBelow(grown, growthMax)
      yield* works
    }), 60_000)

  it.effect("is refused a compressed body, which is not decompressed", () =>
    Effect.gen(function*() {
      const bomb = Buffer.alloc(200_000_000, 0x20)
      const before = process.memoryUsage().rss
      for (const [name, bytes] of [["gzip", gzipSync(bomb, { level: 1 })], ["br", brotliCompressSync(bomb, fast)]] as const) {
        const answer = yield* post(new Uint8Array(bytes), { "content-encoding": name })
        assert.strictEqual(answer.status, 415)
        assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
      }
      assert.isBelow(process.memoryUsage().rss - before, growthMax)
    }))

  it.effect("gains nothing by nesting, by colliding keys, or by names of prototypes", () =>
    Effect.gen(function*() {
      for (const opening of ["[", `{"a":`, `{"task":`, `[{"__proto__":`]) {
        assert.strictEqual((yield* post(opening.repeat(990_000 / opening.length))).status, 400)
      }
      // Array indices are hashed apart from other names, by engines of the past without a seed.
      for (const step of [1, 1 << 15, 1 << 16, 1 << 20]) {
        for (const [length, status] of [[19_000, 200], [55_000, 400]] as const) {
          const keys = Array.from({ length }, (_, i) => `"${(i * step) % 4_294_967_291}":0`)
          const answer = yield* post(`{"task":{"task":"x"},${keys.join(",")}}`)
          assert.strictEqual(answer.status, status)
        }
      }
      const polluting = `{"task":{"task":"x","__proto__":{"tags":["bad"],"task_type":"qa"}},"__proto__":{"max_candidates":1,"isAdmin":true},` +
        `"constructor":{"prototype":{"isAdmin":true}}}`
      const { body, status } = yield* post(polluting)
      assert.strictEqual(status, 200)
      const seen = JSON.parse((body["recommended_model"] as { readonly rationale: string }).rationale)
      assert.deepStrictEqual([seen.maxCandidates, seen.task.tags, seen.task.taskType], [8, [], null])
      assert.isUndefined(({} as Record<string, unknown>)["isAdmin"])
    }), 60_000)

  it.effect("is refused a body over the limit, declared or chunked, which is not stored", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* post(" ".repeat(1_000_001))).status, 413)
      const port = yield* portOf
      const text = yield* Effect.promise(async () => {
        const socket = await open(port)
        const said = untilClosed(socket)
        socket.write(head(0).replace("content-length: 0", "transfer-encoding: chunked\r\nconnection: close"))
        const chunk = `${(65_536).toString(16)}\r\n${" ".repeat(65_536)}\r\n`
        for (let i = 0; i < 400 && socket.writable; i++) {
          if (!socket.write(chunk)) await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve))
        }
        socket.end("0\r\n\r\n")
        return said
      })
      assert.match(text, /^HTTP\/1\.1 413 |^$/)
      yield* works
    }), 30_000)
})
