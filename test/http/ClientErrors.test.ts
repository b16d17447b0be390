import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { baseUrl, fakeService } from "./FakeService.ts"

/** Everything that the server sends back on one connection until it closes it; each chunk follows an answer. */
const send = (first: string, ...others: ReadonlyArray<string>) =>
  Effect.flatMap(baseUrl, (url) =>
    Effect.promise(() =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1")
        let text = ""
        let sent = 0
        socket.setEncoding("utf8")
        socket.on("data", (chunk) => {
          text += chunk
          const next = others[sent++]
          if (next !== undefined) socket.write(next)
        })
        // The server may close while we still write; what it said counts.
        socket.on("error", () => {})
        socket.on("close", () => resolve(text))
        socket.write(first)
      })
    ))

const isProblem = (text: string, status: number, title: string) => {
  const [head = "", body = ""] = text.split("\r\n\r\n")
  assert.match(head, new RegExp(`^HTTP/1.1 ${status} `))
  assert.match(head, /content-type: application\/problem\+json/i)
  assert.match(head, /connection: close/i)
  const problem = JSON.parse(body) as Record<string, unknown>
  assert.deepStrictEqual([problem["type"], problem["title"], problem["status"]], ["about:blank", title, status])
  assert.isString(problem["detail"])
}

const get = "GET /v1/health HTTP/1.1\r\nhost: x\r\n"

layer(fakeService(), { excludeTestServices: true })("what Node's parser refuses", (it) => {
  for (
    const [status, title, why, sent] of [
      [400, "Invalid request", "the request is not HTTP", "HELO sextant\r\n\r\n"],
      [400, "Invalid request", "length and chunks contradict each other",
        "POST /v1/recommend HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n"],
      [431, "Request header fields too large", "the headers are too large", `${get}x-large: ${"x".repeat(20_000)}\r\n\r\n`],
      [408, "Request timeout", "the headers never end", get],
      [417, "Expectation failed", "something other than 100-continue is expected", `${get}expect: miracles\r\n\r\n`]
    ] as const
  ) {
    it.effect(`is a ${status} problem when ${why}`, () =>
      Effect.map(send(sent), (said) => isProblem(said, status, title)), 15_000)
  }
})

layer(fakeService(), { excludeTestServices: true })("what Node would answer bare or not at all", (it) => {
  it.effect("is a 400 problem when HTTP/1.1 names no host", () =>
    Effect.gen(function*() {
      isProblem(yield* send("GET /v1/health HTTP/1.1\r\nconnection: close\r\n\r\n"), 400, "Invalid request")
    }))

  it.effect("is a 400 problem when a header that stands once is sent twice, on every way", () =>
    Effect.gen(function*() {
      for (const [name, values] of [
        ["authorization", ["Bearer good", "Bearer other"]], ["Content-Type", ["application/json", "text/plain"]], ["host", ["y"]]
      ] as const) {
        for (const line of ["GET /v1/health", "POST /v1/recommend", "POST /v1/feedback"]) {
          const head = [`${line} HTTP/1.1`, "host: x", "connection: close", "content-length: 0"]
          const said = yield* send([...head, ...values.map((value) => `${name}: ${value}`), "", ""].join("\r\n"))
          isProblem(said, 400, "Invalid request")
          assert.include(said, `more than one ${name.toLowerCase()} header`)
        }
      }
    }))

  it.effect("is an ordinary answer for HTTP/1.0, which needs no Host header", () =>
    Effect.gen(function*() {
      assert.match(yield* send("GET /v1/health HTTP/1.0\r\n\r\n"), /^HTTP\/1.1 200 /)
    }))

  it.effect("ignores an offer to upgrade the protocol, and keeps the connection for the next request", () =>
    Effect.gen(function*() {
      const offer = "GET /v1/health HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"
      const next = "GET /v1/capabilities HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
      const said = yield* send(offer, next)
      assert.lengthOf(said.match(/HTTP\/1\.1 200 OK/g) ?? [], 2)
      assert.include(said, "honored_constraints")
    }))
})
