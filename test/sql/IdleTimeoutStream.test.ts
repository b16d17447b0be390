import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Duplex } from "node:stream"
import { addressOf, idleTimeoutStreams } from "../../src/sql/IdleTimeoutStream.ts"
import { tcpServer } from "../support/TcpServer.ts"

const timeouts = { silentMs: 300, keepAliveMs: 30_000 }

const opened = (port: number, given = timeouts) =>
  Effect.acquireRelease(
    Effect.sync(idleTimeoutStreams(() => ({ host: "127.0.0.1", port }), given)),
    (stream) => Effect.sync(() => stream.destroy())
  )

const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

const echo = tcpServer((socket) => socket.pipe(socket))

const errorOf = (stream: Duplex) =>
  Effect.callback<Error>((resume) => {
    stream.once("error", (error) => resume(Effect.succeed(error)))
  })

/** What an echo answers first. */
const asked = (stream: Duplex, bytes: Buffer) =>
  Effect.callback<Buffer>((resume) => {
    stream.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk)))
    stream.write(bytes)
  })

describe("a connection with an idle timeout", () => {
  it.live("ends when the server stays silent after a request", () =>
    Effect.gen(function*() {
      const { port } = yield* tcpServer(() => {})
      const stream = yield* opened(port)
      stream.write("are you there?")
      const ended = yield* errorOf(stream)
      assert.strictEqual(ended.message, "The server has been silent for 300 ms")
      assert.isTrue(stream.destroyed)
    }))

  for (const [when, answers] of [
    ["without a request, and while every request is answered", [Buffer.concat([Buffer.from("rows"), ready]), ready, ready]],
    ["when an encrypted answer pauses", [Buffer.from("S"), Buffer.from("nobody can read this")]]
  ] as const) {
    it.live(`stays open ${when}`, () =>
      Effect.gen(function*() {
        const { port } = yield* echo
        const stream = yield* opened(port)
        for (const answer of answers) {
          assert.deepStrictEqual(yield* asked(stream, answer), answer)
          yield* Effect.sleep(2 * timeouts.silentMs)
        }
        assert.isFalse(stream.destroyed)
      }))
  }

  it.live("takes a lone S for encryption only as the first byte received", () =>
    Effect.gen(function*() {
      const { port } = yield* echo
      const stream = yield* opened(port)
      yield* asked(stream, ready)
      const [, error] = yield* Effect.all([asked(stream, Buffer.from("S")), errorOf(stream)], { concurrency: 2 })
      assert.include(error.message, "silent")
    }))

  it.live("that times out ends those on which the server has sent nothing since, and no other", () =>
    Effect.gen(function*() {
      const { port } = yield* tcpServer((socket) =>
        socket.on("data", (chunk) => chunk.equals(ready) ? socket.write(chunk) : undefined))
      const open = idleTimeoutStreams(() => ({ host: "127.0.0.1", port }), timeouts)
      const [idle, busy, silent] = [open(), open(), open()]
      const ended = new Set<Duplex>()
      for (const stream of [idle, busy, silent]) stream.on("error", () => ended.add(stream))
      silent.write("are you there?")
      yield* Effect.repeat(asked(busy, ready), { until: () => silent.destroyed })
      assert.deepStrictEqual([...ended], [idle, silent])
      busy.destroy()
    }))

  it.live("ends when an answer stays incomplete", () =>
    Effect.gen(function*() {
      const { port } = yield* echo
      const stream = yield* opened(port)
      const spoilt = Buffer.from([0x5a, 0, 0, 7, 5, 0x49])
      const [, error] = yield* Effect.all([asked(stream, spoilt), errorOf(stream)], { concurrency: 2 })
      assert.include(error.message, "silent")
    }))

  it.live("carries more data than both ends buffer, whole and in order", () =>
    Effect.gen(function*() {
      const { port } = yield* echo
      // A busy machine may let the echo wait for longer than the other tests' servers may be silent.
      const stream = yield* opened(port, { ...timeouts, silentMs: timeouts.keepAliveMs })
      const sent = Buffer.from(Uint8Array.from({ length: 8 * 2 ** 20 }, (_, n) => (n * 31) & 0xff))
      const received = yield* Effect.callback<Buffer>((resume) => {
        const chunks: Array<Buffer> = []
        let bytes = 0
        stream.on("data", (chunk: Buffer) => {
          chunks.push(chunk)
          bytes += chunk.length
          if (bytes >= sent.length) resume(Effect.succeed(Buffer.concat(chunks)))
        })
        for (let at = 0; at < sent.length; at += 2 ** 16) stream.write(sent.subarray(at, at + 2 ** 16))
      })
      assert.isTrue(received.equals(sent))
    }))

  it.live("ends when its server ends it, and fails when no server listens", () =>
    Effect.gen(function*() {
      const { close, port } = yield* tcpServer((socket) => socket.end("bye"))
      const stream = yield* opened(port)
      const said = yield* Effect.promise(() => stream.toArray())
      assert.strictEqual(Buffer.concat(said as Array<Buffer>).toString(), "bye")
      close()
      assert.include((yield* errorOf(yield* opened(port))).message, "ECONNREFUSED")
    }))
})

it("addresses are read from a URL as the driver reads them (case 23)", () => {
  for (const [url, address] of [
    ["postgres://user:word@db.example:6543/name", { host: "db.example", port: 6543 }],
    ["postgresql://db/name", { host: "db", port: 5432 }],
    ["postgres://u@[::1]:5433/name", { host: "::1", port: 5433 }],
    ["postgres://db/name?port=7000", { host: "db", port: 7000 }],
    ["postgres://u:word@/name?host=/cloudsql/project:region:instance&port=6000",
      { path: "/cloudsql/project:region:instance/.s.PGSQL.6000" }],
    ["postgres://postgres@/imp?host=/tmp/pg&port=21450", { path: "/tmp/pg/.s.PGSQL.21450" }],
    ["postgresql://u@/name", { host: "localhost", port: 5432 }],
    ["postgres://u@localhost/name?host=/var/run/postgresql", { path: "/var/run/postgresql/.s.PGSQL.5432" }]
  ] as const) assert.deepStrictEqual(addressOf(url), address, url)
})
