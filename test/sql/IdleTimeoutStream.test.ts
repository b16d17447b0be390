import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { addressOf, idleTimeoutStreams } from "../../src/sql/IdleTimeoutStream.ts"

const timeouts = { silentMs: 300, keepAliveMs: 30_000 }

/** A server on a free port that does this with every connection. */
const serverOf = (serve: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket.on("error", () => {}))
        serve(socket)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          port,
          close: () => {
            for (const socket of sockets) socket.destroy()
            server.close()
          }
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const opened = (port: number, given = timeouts) =>
  Effect.acquireRelease(
    Effect.sync(idleTimeoutStreams(() => ({ host: "127.0.0.1", port }), given)),
    (stream) => Effect.sync(() => stream.destroy())
  )

const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

const echo = serverOf((socket) => socket.pipe(socket))

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
      const { port } = yield* serverOf(() => {})
      const stream = yield* opened(port)
      stream.write("are you there?")
      const ended = yield* errorOf(stream)
      assert.strictEqual(ended.message, "The server has been silent for 300 ms")
      assert.isTrue(stream.destroyed)
    }))

  it.live("stays open without a request, and while every request is answered", () =>
    Effect.gen(function*() {
      const { port } = yield* echo
      const stream = yield* opened(port)
      for (const answer of [Buffer.concat([Buffer.from("rows"), ready]), ready, ready]) {
        assert.deepStrictEqual(yield* asked(stream, answer), answer)
        yield* Effect.sleep(2 * timeouts.silentMs)
      }
      assert.isFalse(stream.destroyed)
    }))

  it.live("stays open when an encrypted answer pauses", () =>
    Effect.gen(function*() {
      const { port } = yield* echo
      const stream = yield* opened(port)
      for (const answer of [Buffer.from("S"), Buffer.from("nobody can read this")]) {
        assert.deepStrictEqual(yield* asked(stream, answer), answer)
        yield* Effect.sleep(2 * timeouts.silentMs)
      }
      assert.isFalse(stream.destroyed)
    }))

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
      const { port } = yield* serverOf((socket) =>
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
      const { close, port } = yield* serverOf((socket) => socket.end("bye"))
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
