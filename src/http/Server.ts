import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder, HttpApiSwagger } from "effect/http-api"
import { createServer } from "node:http"
import { Api } from "../api/Api.ts"
import type { Load } from "./Admission.ts"
import * as AuthorizationHttp from "./AuthorizationHttp.ts"
import { refuseAsProblems } from "./ClientErrors.ts"
import * as DashboardHttp from "./DashboardHttp.ts"
import * as FeedbackHttp from "./FeedbackHttp.ts"
import * as InsightHttp from "./InsightHttp.ts"
import * as Limits from "./Limits.ts"
import { limitSettings } from "./LimitSettings.ts"
import { layerAdmissions } from "./LoadSample.ts"
import * as ModelsHttp from "./ModelsHttp.ts"
import * as Observed from "./Observed.ts"
import * as ProbesHttp from "./ProbesHttp.ts"
import type { ReadinessState } from "./Readiness.ts"
import * as RecommendHttp from "./RecommendHttp.ts"
import * as ReportsHttp from "./ReportsHttp.ts"
import * as SystemHttp from "./SystemHttp.ts"
import * as ValidationHttp from "./ValidationHttp.ts"

export interface ServerOptions {
  /** 0 takes any free port; the bound address is in `HttpServer.HttpServer`. */
  readonly port: number
  readonly host: string
  /** Requests per minute and account; null means no quota. */
  readonly rateLimitPerMinute: number | null
  /** Where the page's bundle lies, unless beside the sources. */
  readonly dashboardDirectory?: string
  /** What `/readyz` says; `ready` when absent. */
  readonly readiness?: Effect.Effect<ReadinessState>
  /** How busy the process is, unless as it is. */
  readonly load?: () => Load
}

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

/**
 * Node's server with our timeouts, also for the reading of an answer, refusals as problems, and connections
 * that end when it closes.
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
  return server
}

/** Every path that this server has, with its methods. */
export const paths = Limits.pathsOf(Api, [
  Limits.docsPath, Limits.openapiPath, DashboardHttp.dashboardPath, DashboardHttp.faviconPath,
  ...ProbesHttp.paths
])

const routes = ({ dashboardDirectory, load, rateLimitPerMinute, readiness }: ServerOptions) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api, { openapiPath: Limits.openapiPath }).pipe(
      Layer.provide([
        RecommendHttp.layer, FeedbackHttp.layer, ModelsHttp.layer, InsightHttp.layer, ReportsHttp.layer,
        SystemHttp.layer
      ]),
      Layer.provide([AuthorizationHttp.layer(rateLimitPerMinute), ValidationHttp.layer])
    ),
    // Swagger's page holds all its scripts and styles, so that it works without internet.
    HttpApiSwagger.layer(Api, { path: Limits.docsPath }),
    DashboardHttp.layer(dashboardDirectory),
    ProbesHttp.layer(readiness),
    Limits.layer(paths)
  ).pipe(Layer.provide(layerAdmissions(load)))

/** Serves the API, the pages and `/openapi.json`; closing it lets requests in flight finish within 8.5 s. */
export const layer = (options: ServerOptions) =>
  HttpRouter.serve(routes(options), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(() => makeServer(), {
        port: options.port,
        host: options.host,
        // Of the 10 s that a stop may take, the rest is the ledger's, for what waits to be written.
        gracefulShutdownTimeout: "8500 millis"
      })
    ),
    Layer.provide(Observed.tracing(paths))
  )
