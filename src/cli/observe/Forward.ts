/*
 * Passes what exporters of OpenTelemetry send on to a service, with its key. It keeps nothing: the answer is
 * the service's own, and an exporter sends again what could not be passed on.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

export interface Service {
  readonly baseUrl: string
  readonly key: string
}

/** Paths of exporters, and those of the service. */
const paths: Readonly<Record<string, string>> = {
  "/v1/traces": "/v1/otlp/v1/traces", "/v1/logs": "/v1/otlp/v1/logs"
}

/** Most bytes of a request, as the service takes them. */
const bytesMax = 1_000_000

/** How long the service may take, ms: exporters wait 10 s. */
const timeoutMs = 9_000

/** The bytes of a request; null for too many. */
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
  // A page in a browser sends some types unasked, and no type: neither is telemetry.
  if (type === undefined) return refuse(response, 415, "Send application/json or application/x-protobuf")
  // Metrics hold no call: they are taken, so that no exporter keeps them to send them again.
  if (path === "/v1/metrics") return answer(response, 200, type, type.includes("json") ? "{}" : "")
  if (to === undefined || request.method !== "POST") {
    return refuse(response, 404, `Traces and logs go to POST ${Object.keys(paths).join(" and ")}`)
  }
  if (bytes === null) return refuse(response, 413, `A request may hold at most ${bytesMax} bytes`)
  const given = await fetch(baseUrl + to, {
    method: "POST", body: bytes, signal: AbortSignal.timeout(timeoutMs),
    // Another address gets neither the key nor the telemetry.
    redirect: "error",
    headers: {
      authorization: `Bearer ${key}`, "content-type": type,
      ...encoding === undefined ? {} : { "content-encoding": encoding }
    }
  })
  const said = new Uint8Array(await given.arrayBuffer())
  answer(response, given.status, given.headers.get("content-type") ?? type, said)
}

/** Answers each request of an exporter; 503 where the service could not be asked. */
export const forwardTo = (service: Service): RequestListener => (request, response) => {
  forward(service, request, response).catch(() => {
    if (response.headersSent) response.destroy()
    else refuse(response, 503, `${service.baseUrl} does not answer`)
  })
}
