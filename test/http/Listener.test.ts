import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpServer } from "effect/http"
import { createServer } from "node:http"
import * as Listener from "../../src/http/Listener.ts"
import { sendRequest, fakeRoutes } from "./FakeService.ts"

const listening = (port: number, host = "127.0.0.1") =>
  Listener.layer({ port, host, gracefulShutdownTimeout: "1 second" })

const portOf = ({ address }: HttpServer.HttpServer["Service"]) => address._tag === "UnixPathAddress" ? 0 : address.port

describe("a server that listens", () => {
  it.live("answers that it is starting until it has routes, and answers every request once", () =>
    Effect.gen(function*() {
      const server = yield* Layer.build(listening(0))
      yield* Effect.gen(function*() {
        for (const path of ["/livez", "/livez?x", "/livez/"]) {
          const alive = yield* sendRequest("GET", path, { key: null })
          assert.deepStrictEqual([alive.status, alive.body], [200, { status: "ok" }], path)
        }
        const ready = yield* sendRequest("GET", "/readyz", { key: null })
        assert.deepStrictEqual([ready.status, ready.body["title"]], [503, "Not ready"])
        for (const [method, path, json] of [
          ["GET", "/v1/models", undefined], ["POST", "/v1/recommend", { task: { task: "x".repeat(100_000) } }],
          ["POST", "/v1/feedback", {}], ["GET", "/nothing", undefined], ["GET", "/livezz", undefined]
        ] as const) {
          const early = yield* sendRequest(method, path, json === undefined ? {} : { json })
          assert.strictEqual(early.status, 503, path)
          assert.strictEqual(early.headers.get("content-type"), "application/problem+json")
          assert.strictEqual(early.headers.get("cache-control"), "no-store")
          assert.match(early.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
          assert.deepStrictEqual(early.body, {
            type: "about:blank", title: "Service unavailable", status: 503, detail: "The service is starting"
          })
        }
        assert.strictEqual((yield* sendRequest("HEAD", "/v1/models")).status, 503)

        // Requests come all the while the routes are put in their place.
        const statuses = yield* Effect.forkChild(
          Effect.forEach(Array.from({ length: 300 }), () => sendRequest("GET", "/v1/models"), { concurrency: 8 })
        )
        yield* Layer.build(fakeRoutes())
        assert.strictEqual((yield* sendRequest("GET", "/v1/models")).status, 200)
        assert.strictEqual((yield* sendRequest("GET", "/readyz", { key: null })).status, 200)
        for (const { status } of yield* Fiber.join(statuses)) assert.include([200, 503], status)
      }).pipe(Effect.provide(server))
    }))

  it.live("fails when the port is taken, or when the address is another machine's or does not exist", () =>
    Effect.gen(function*() {
      const other = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer().listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const address = other.address()
      const taken = typeof address === "object" && address !== null ? address.port : 0
      const refused = (port: number, host?: string) =>
        Effect.map(Effect.flip(Layer.build(listening(port, host))), ({ message }) => message)
      assert.strictEqual(yield* refused(taken), `PORT ${taken} of 127.0.0.1 is in use by another process: set PORT to a free one`)
      assert.match(yield* refused(0, "192.0.2.1"), /^HOST 192\.0\.2\.1 is not an address of this machine: set HOST/)
      assert.match(yield* refused(0, "nosuch.invalid"), /^HOST nosuch\.invalid has no address: set HOST/)
      const server = yield* Layer.build(listening(0))
      assert.isAbove(yield* Effect.provide(HttpServer.HttpServer.use((each) => Effect.succeed(portOf(each))), server), 0)
    }))

  it("names the variable to set, for each error code", () => {
    const says = (code: string) =>
      new Listener.CannotListen({ host: "::", port: 80, code, reason: "listen E: odd" }).message
    assert.strictEqual(says("EACCES"), "PORT 80 needs more rights than this user has: set PORT to 1024 or more")
    assert.match(says("EAI_AGAIN"), /set HOST/)
    assert.strictEqual(says("EAFNOSUPPORT"), "HOST ::, PORT 80 cannot be used (listen E: odd): set HOST and PORT")
  })
})
