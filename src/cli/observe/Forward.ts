/* Forwards telemetry from OpenTelemetry's exporters to a service, with the service's key, and returns the
   service's answer. Nothing is stored here. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

export interface Service {
  readonly baseUrl: string
  readonly key: string
}

/** The service's path for each path to which OpenTelemetry exporters send. */
const paths: Readonly<Record<string, string>> = {
  "/v1/traces": "/v1/otlp/v1/traces", "/v1/logs": "/v1/otlp/v1/logs"
}

/** Maximum size of a request's body, bytes: the same as the service's limit. */
const bytesMax = 1_000_000

/** Maximum wait for the service, ms, which is shorter than the 10 s that exporters wait. */
const timeoutMs = 9_000

const bytesOf = async (request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | null> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
  }
  return bytes > bytesMax ? null : new Uint8Array(Buffer.concat(chunks))
}

const answer = (
  response: ServerResponse,
  status: number,
  type: string,
  body: Uint8Array | string
): void => {
  const later = status === 503 ? { "retry-after": "5" } : {}
  response.writeHead(status, { "content-type": type, ...later }).end(body)
}

const refuse = (response: ServerResponse, status: number, detail: string): void => {
  const problem = { status, title: "Not received", detail }
  answer(response, status, "application/problem+json", JSON.stringify(problem))
}

const forward = async (
  { baseUrl, key }: Service,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  const path = request.url?.split("?")[0] ?? ""
  const bytes = await bytesOf(request)
  const { "content-encoding": encoding, "content-type": type } = request.headers
  const to = paths[path]
  // A request without a content type may come from a page in a browser, and is no telemetry.
  if (type === undefined) return refuse(response, 415, "Send application/json or application/x-protobuf")
  // Metrics contain no call. Metrics are dropped and answered with 200, so that no exporter repeats them.
  if (path === "/v1/metrics") return answer(response, 200, type, type.includes("json") ? "{}" : "")
  if (to === undefined || request.method !== "POST") {
    return refuse(response, 404, `Traces and logs go to POST ${Object.keys(paths).join(" and ")}`)
  }
  if (bytes === null) return refuse(response, 413, `A request may hold at most ${bytesMax} bytes`)
  const given = await fetch(baseUrl + to, {
    method: "POST", body: bytes, signal: AbortSignal.timeout(timeoutMs),
    // A redirect must not send the key and the telemetry to another address.
    redirect: "error",
    headers: {
      authorization: `Bearer ${key}`, "content-type": type,
      ...encoding === undefined ? {} : { "content-encoding": encoding }
    }
  })
  const said = new Uint8Array(await given.arrayBuffer())
  answer(response, given.status, given.headers.get("content-type") ?? type, said)
}

/** Answers 503 if the service gives no answer. */
export const forwardTo = (service: Service): RequestListener => (request, response) => {
  forward(service, request, response).catch(() => {
    if (response.headersSent) response.destroy()
    else refuse(response, 503, `${service.baseUrl} does not answer`)
  })
}
