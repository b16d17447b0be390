/*
 * The HTTP server's socket. It is opened before anything else is started, and answers by itself until there
 * are routes.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type Duration, Effect, Layer, Predicate, Schema } from "effect"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { answerClientErrors } from "./ClientErrors.ts"
import { limitSettings } from "./limits/LimitSettings.ts"
import { retryAfterSeconds } from "./limits/Retry.ts"

// Node's defaults allow a client 60 s for its headers and 300 s for its body.
const timeouts = {
  headersTimeout: 5_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000
}
/** Turns off Node's own answers, which have no body or close the connection. */
const serverOptions = {
  // No endpoint has another protocol: a request to upgrade is ignored, as RFC 9110 allows.
  shouldUpgradeCallback: () => false,
  // `Limits` answers a request without a Host header with a problem.
  requireHostHeader: false
}
const connectionsMax = 10_000

/** Answers a request while there are no routes: during the start, and during the shutdown. */
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

/**
 * Node's server with our timeouts, one of which bounds how long a client takes to read its answer. Its errors
 * are problems, its connections end when it closes, and it answers by itself while there is no other
 * listener. With `awaitsRoutes` requests that come before the routes wait for them instead.
 */
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
      // Nearly always the system has the whole answer by now.
      if (response.socket?.writableLength === 0) return
      timeout = setTimeout(() => response.destroy(), answerReadMs).unref()
    })
    response.once("close", () => {
      clearTimeout(timeout)
      // `close` ends idle connections only; a busy one would stay open for its client's next request.
      if (!server.listening) setImmediate(() => server.closeIdleConnections())
    })
  })
  const early: Array<[request: IncomingMessage, response: ServerResponse]> = []
  const ownListeners = server.listenerCount("request") + 1
  server.on("request", (request, response) => {
    // The listeners are counted when the request arrives, so exactly one answers it.
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

/** Why the address cannot be used, and which variable to set; null for an unknown error code. */
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

/** The server cannot listen on that address; nothing else was started. */
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

/** A stop may take 10 s; the ledger needs the remaining 1.5 s to write what waits. */
const shutdownTimeout = "8500 millis"

interface ListenerOptions {
  /** 0 takes any free port; the bound address is in `HttpServer.HttpServer`. */
  readonly port: number
  readonly host: string
  /** How long requests in flight may take to finish during a stop; {@link shutdownTimeout} by default. */
  readonly gracefulShutdownTimeout?: Duration.Input
  /** Whether requests that come before the routes wait for them, which then are some milliseconds away. */
  readonly awaitsRoutes?: boolean
}

const fieldOf = (cause: unknown, name: "code" | "message"): string =>
  Predicate.hasProperty(cause, name) && typeof cause[name] === "string" ? cause[name] : ""

/** Listens as soon as it is built: provide it to everything that must start later. */
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
