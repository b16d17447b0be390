import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type Duration, Effect, Layer, Predicate, Schema } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { refuseAsProblems } from "./ClientErrors.ts"
import { limitSettings } from "./limits/LimitSettings.ts"
import { retryAfterSeconds } from "./limits/Retry.ts"

/*
 * The socket: it is taken before anything else is started, and answers for itself until the routes are there.
 */

// Node's own defaults let a client take 60 s over its headers and 300 s over its body.
const timeouts = {
  headersTimeout: 5_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000
}
/** What Node would answer by itself, bare or by hanging up without a word, is left to us. */
const conduct = {
  // No endpoint speaks another protocol: an offer to change to one is passed over, as the standard has it.
  shouldUpgradeCallback: () => false,
  // `Limits` refuses a request without one, as a problem.
  requireHostHeader: false
}
const connectionsMax = 10_000

/** Answers a request for which there are no routes: they are not there yet, or not any more. */
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
 * Node's server with our timeouts, also for the reading of an answer, refusals as problems, connections that
 * end when it closes, and an answer of its own while nobody else listens for requests.
 */
export const makeServer = (answerReadMs: number = limitSettings.answerReadMs) => {
  const server = createServer({ ...timeouts, ...conduct })
  server.maxConnections = connectionsMax
  refuseAsProblems(server)
  // An answer that its client does not read stays in memory until the connection ends.
  server.on("request", (_request, response) => {
    response.once("prefinish", () => {
      const patience = setTimeout(() => response.destroy(), answerReadMs).unref()
      response.once("close", () => clearTimeout(patience))
    })
  })
  // `close` ends the connections idle at that moment; a busy one would wait for its client's next request.
  server.on("request", (_request, response) => {
    if (!server.listening) response.setHeader("connection", "close")
    response.once("close", () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections())
    })
  })
  const own = server.listenerCount("request") + 1
  server.on("request", (request, response) => {
    // Who listens is counted as the request comes: exactly one answers it.
    if (server.listenerCount("request") > own) return
    answerWithoutRoutes(request, response, server.listening ? "starting" : "shutting down")
  })
  return server
}

const wholeMachine = "0.0.0.0 for every address of this machine, 127.0.0.1 for itself alone"

/** What is wrong with where it should listen, and which variable to set. */
const problemOf = (code: string, host: string, port: number): string | null => {
  switch (code) {
    case "EADDRINUSE":
      return `PORT ${port} of ${host} is in use by another process: set PORT to a free one`
    case "EACCES":
      return `PORT ${port} is not open to this user: set PORT to one from 1024 on`
    case "EADDRNOTAVAIL":
      return `HOST ${host} is no address of this machine: set HOST (${wholeMachine})`
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `HOST ${host} has no address: set HOST (${wholeMachine})`
    default:
      return null
  }
}

/** The address cannot be listened at; nothing else was started. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Int,
  code: Schema.String,
  says: Schema.String
}) {
  override get message() {
    const { code, host, port, says } = this
    return problemOf(code, host, port)
      ?? `HOST ${host}, PORT ${port} cannot be used (${says}): set HOST and PORT`
  }
}

export interface ListenerOptions {
  /** 0 takes any free port; the bound address is in `HttpServer.HttpServer`. */
  readonly port: number
  readonly host: string
  /** How long requests in flight may take to finish once it is to stop. */
  readonly gracefulShutdownTimeout: Duration.Input
}

const textOf = (cause: unknown, name: "code" | "message"): string =>
  Predicate.hasProperty(cause, name) && typeof cause[name] === "string" ? cause[name] : ""

/** Listens from the moment it is built: provide it to all that is to be started after that. */
export const layer = ({ gracefulShutdownTimeout, host, port }: ListenerOptions) => {
  const listening = NodeHttpServer.layer(() => makeServer(), { port, host, gracefulShutdownTimeout })
  const cannot = (cause: unknown): Layer.Layer<Layer.Success<typeof listening>, CannotListen> =>
    Layer.effectContext(Effect.fail(
      new CannotListen({ host, port, code: textOf(cause, "code"), says: textOf(cause, "message") })
    ))
  return Layer.catchTag(listening, "ServeError", ({ cause }) => cannot(cause))
}
