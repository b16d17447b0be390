/* Opens the port of the HTTP server before any other part of the process starts. Until the routes exist,
   the listener itself answers every request. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type Duration, Effect, Layer, Predicate, Schema } from "effect"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { answerClientErrors } from "./ClientErrors.ts"
import { limitSettings } from "./limits/LimitSettings.ts"
import { retryAfterSeconds } from "./limits/Retry.ts"

// Node's defaults would allow a client 60 s for its headers and 300 s for its whole request.
const timeouts = {
  headersTimeout: 5_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000
}
/** Options that turn off answers of Node itself, because they have no body or close the connection. */
const serverOptions = {
  // The header `Upgrade` is ignored, as RFC 9110 allows, because no endpoint has another protocol.
  shouldUpgradeCallback: () => false,
  // If the Host header is missing, the middleware in `limits/Limits.ts` answers.
  requireHostHeader: false
}
const connectionsMax = 10_000

const answerWithoutRoutes = (request: IncomingMessage, response: ServerResponse, state: string) => {
  const { method, url = "" } = request
  const isAlive = /^\/livez\/?(\?|$)/.test(url)
  const isReadiness = /^\/readyz\/?(\?|$)/.test(url)
  const body = JSON.stringify(isAlive ? { status: "ok" } : {
    type: "about:blank",
    title: isReadiness ? "Not ready" : "Service unavailable",
    status: 503,
    detail: `The service is ${state}`
  })
  response.writeHead(isAlive ? 200 : 503, {
    "content-type": isAlive ? "application/json" : "application/problem+json",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    ...(isAlive ? {} : { "retry-after": String(retryAfterSeconds) })
  }).end(method === "HEAD" ? undefined : body)
}

/** Makes Node's server. A client that does not read its answer within `answerReadMs` loses its connection. */
export const makeServer = (
  { answerReadMs = limitSettings.answerReadMs, awaitsRoutes = false }: {
    readonly answerReadMs?: number
    readonly awaitsRoutes?: boolean
  } = {}
) => {
  const server = createServer({ ...timeouts, ...serverOptions })
  server.maxConnections = connectionsMax
  answerClientErrors(server)
  server.on("request", (_request, response) => {
    if (!server.listening) response.setHeader("connection", "close")
    let timeout: NodeJS.Timeout | undefined
    // An answer that its client does not read stays in memory until the connection ends.
    response.once("prefinish", () => {
      if (response.socket?.writableLength === 0) return
      timeout = setTimeout(() => response.destroy(), answerReadMs).unref()
    })
    response.once("close", () => {
      clearTimeout(timeout)
      // Node's `close` ends only idle connections, so a busy connection is closed after its answer.
      if (!server.listening) setImmediate(() => server.closeIdleConnections())
    })
  })
  const early: Array<[request: IncomingMessage, response: ServerResponse]> = []
  const ownListeners = server.listenerCount("request") + 1
  server.on("request", (request, response) => {
    // The listeners are counted when a request arrives, so that exactly one listener answers it.
    if (server.listenerCount("request") > ownListeners) return
    if (awaitsRoutes && server.listening) return void early.push([request, response])
    answerWithoutRoutes(request, response, server.listening ? "starting" : "shutting down")
  })
  server.on("newListener", (event: string, answer: RequestListener) => {
    if (event !== "request") return
    for (const [request, response] of early.splice(0)) setImmediate(() => answer(request, response))
  })
  return server
}

const hostChoices = "0.0.0.0 for all addresses of this machine, 127.0.0.1 for local requests only"

/** Returns why the address cannot be used, and what to do; null for an unknown error code. */
const problemOf = (code: string, host: string, port: number): string | null => {
  switch (code) {
    case "EADDRINUSE":
      return `PORT ${port} of ${host} is in use by another process: set PORT to a free one`
    case "EACCES":
      return `PORT ${port} needs more rights than this user has: set PORT to 1024 or more`
    case "EADDRNOTAVAIL":
      return `HOST ${host} is not an address of this machine: set HOST (${hostChoices})`
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `HOST ${host} has no address: set HOST (${hostChoices})`
    default:
      return null
  }
}

export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Int,
  code: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    const { code, host, port, reason } = this
    return problemOf(code, host, port)
      ?? `HOST ${host}, PORT ${port} cannot be used (${reason}): set HOST and PORT`
  }
}

/**
 * Maximum time for requests in flight when the process stops: less than 10 s, so that the ledger can write
 * its buffer afterwards.
 */
const shutdownTimeout = "8500 millis"

interface ListenerOptions {
  /** The port 0 stands for any free port, which `HttpServer.HttpServer` then names. */
  readonly port: number
  readonly host: string
  readonly gracefulShutdownTimeout?: Duration.Input
  readonly awaitsRoutes?: boolean
}

const fieldOf = (cause: unknown, name: "code" | "message"): string =>
  Predicate.hasProperty(cause, name) && typeof cause[name] === "string" ? cause[name] : ""

export const layer = (
  { awaitsRoutes = false, gracefulShutdownTimeout = shutdownTimeout, host, port }: ListenerOptions
) => {
  const options = { port, host, gracefulShutdownTimeout }
  const listening = NodeHttpServer.layer(() => makeServer({ awaitsRoutes }), options)
  const cannotListen = (cause: unknown): Layer.Layer<Layer.Success<typeof listening>, CannotListen> =>
    Layer.effectContext(Effect.fail(
      new CannotListen({ host, port, code: fieldOf(cause, "code"), reason: fieldOf(cause, "message") })
    ))
  return Layer.catchTag(listening, "ServeError", ({ cause }) => cannotListen(cause))
}
