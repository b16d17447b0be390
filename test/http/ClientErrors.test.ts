import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { baseUrl, world } from "./World.ts"

/** Everything that the server sends back on one connection until it closes it. */
const send = (...chunks: ReadonlyArray<string>) =>
  Effect.flatMap(baseUrl, (url) =>
    Effect.promise(() =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1")
        let text = ""
        socket.setEncoding("utf8")
        socket.on("data", (chunk) => {
          text += chunk
        })
        // The server may close while we still write; what it said counts.
        socket.on("error", () => {})
        socket.on("close", () => resolve(text))
        for (const chunk of chunks) socket.write(chunk)
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

layer(world(), { excludeTestServices: true })("what Node's parser refuses", (it) => {
  it.effect("is a 400 problem when the request is not HTTP", () =>
    Effect.gen(function*() {
      isProblem(yield* send("HELO sextant\r\n\r\n"), 400, "Invalid request")
    }))

  it.effect("is a 400 problem when length and chunks contradict each other", () =>
    Effect.gen(function*() {
      const head = "POST /v1/recommend HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n"
      isProblem(yield* send(head), 400, "Invalid request")
    }))

  it.effect("is a 431 problem when the headers are too large", () =>
    Effect.gen(function*() {
      const head = `GET /v1/health HTTP/1.1\r\nhost: x\r\nx-large: ${"x".repeat(20_000)}\r\n\r\n`
      isProblem(yield* send(head), 431, "Request header fields too large")
    }))

  it.effect("is a 408 problem when the headers never end", () =>
    Effect.gen(function*() {
      isProblem(yield* send("GET /v1/health HTTP/1.1\r\nhost: x\r\n"), 408, "Request timeout")
    }), 15_000)
})
