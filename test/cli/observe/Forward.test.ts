// What `sextant observe` does with the requests of exporters, over HTTP to a service that is a fake.
import { assert, describe, it } from "@effect/vitest"
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import { gzipSync } from "node:zlib"
import { forwardTo } from "../../../src/cli/observe/Forward.ts"

const listening = async (listener: RequestListener) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  return { url, [Symbol.dispose]: () => void server.close().closeAllConnections() }
}

interface Got {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** A service that answers as told and keeps what it was sent, and the program before it. */
const world = async (status = 200, location?: string) => {
  const got: Array<Got> = []
  const service = await listening(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    got.push({ path: request.url, headers: request.headers, bytes: Buffer.concat(chunks) })
    response.writeHead(status, { "content-type": "application/json", ...location === undefined ? {} : { location } })
      .end(JSON.stringify({ status }))
  })
  const program = await listening(forwardTo({ baseUrl: service.url, key: "sxt_acme_k1_0" }))
  const send = (path: string, init: RequestInit = {}) =>
    fetch(program.url + path, { method: "POST", headers: { "content-type": "application/json" }, body: "{}", ...init })
  return { got, program, send, service, [Symbol.dispose]: () => [service, program].forEach((one) => one[Symbol.dispose]()) }
}

describe("telemetry that is passed on", () => {
  it("reaches the service as it was, with the key, and the exporter gets the service's answer", async () => {
    using at = await world(429)
    const packed = gzipSync("telemetry")
    const answer = await at.send("/v1/logs", {
      body: new Uint8Array(packed), headers: {
        "content-type": "application/x-protobuf", "content-encoding": "gzip", "authorization": "Bearer of-the-exporter", "cookie": "a=b"
      }
    })
    assert.deepStrictEqual([answer.status, await answer.json()], [429, { status: 429 }])
    await at.send("/v1/traces")
    assert.deepStrictEqual(at.got.map(({ path }) => path), ["/v1/otlp/v1/logs", "/v1/otlp/v1/traces"])
    assert.deepInclude(at.got[0]?.headers, {
      authorization: "Bearer sxt_acme_k1_0", "content-type": "application/x-protobuf", "content-encoding": "gzip"
    })
    assert.notProperty(at.got[0]?.headers, "cookie")
    assert.isTrue(at.got[0]?.bytes.equals(packed))
  })

  it("is taken where it is metrics, and refused where it is none, too large, or of no type", async () => {
    using at = await world()
    const statuses = await Promise.all([
      at.send("/v1/metrics"), at.send("/v1/recommend"), at.send("/v1/logs", { method: "PUT" }),
      at.send("/v1/logs", { body: "x".repeat(1_000_001) }), at.send("/v1/logs", { headers: {}, body: new Uint8Array([1]) })
    ])
    assert.deepStrictEqual(statuses.map(({ status }) => status), [200, 404, 404, 413, 415])
    assert.deepStrictEqual(at.got, [])
  })

  it("is asked for again while the service is away, and never follows it to another address", async () => {
    using other = await world()
    using moved = await world(307, `${other.service.url}/v1/otlp/v1/logs`)
    const answers = [await moved.send("/v1/logs")]
    moved.service[Symbol.dispose]()
    answers.push(await moved.send("/v1/logs"))
    for (const { headers, status } of answers) assert.deepStrictEqual([status, headers.get("retry-after")], [503, "5"])
    assert.deepStrictEqual(other.got, [])
  })
})
