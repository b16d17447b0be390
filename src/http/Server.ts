import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder, HttpApiSwagger } from "effect/http-api"
import { Api } from "../api/Api.ts"
import type { Load } from "./limits/Admission.ts"
import * as AuthorizationHttp from "./AuthorizationHttp.ts"
import * as DashboardHttp from "./DashboardHttp.ts"
import * as FeedbackHttp from "./FeedbackHttp.ts"
import * as IndexHttp from "./IndexHttp.ts"
import * as InsightHttp from "./InsightHttp.ts"
import * as Limits from "./limits/Limits.ts"
import * as Listener from "./Listener.ts"
import { layerAdmissions } from "./limits/LoadSample.ts"
import * as ModelsHttp from "./ModelsHttp.ts"
import * as Observed from "./Observed.ts"
import * as ProbesHttp from "./ProbesHttp.ts"
import type { ReadinessState } from "./Readiness.ts"
import * as RecommendHttp from "./RecommendHttp.ts"
import * as ReportsHttp from "./ReportsHttp.ts"
import { routesOf } from "./Routes.ts"
import * as SystemHttp from "./SystemHttp.ts"
import * as ValidationHttp from "./ValidationHttp.ts"
import * as Verification from "./limits/Verification.ts"

export interface RouteOptions {
  /** Requests per minute and account; null means no quota. */
  readonly rateLimitPerMinute: number | null
  /** What an address may try; without it, as much as it likes. */
  readonly verification?: Verification.VerificationOptions
  /** Where the page's bundle lies, unless beside the sources. */
  readonly dashboardDirectory?: string
  /** What `/readyz` says; `ready` when absent. */
  readonly readiness?: Effect.Effect<ReadinessState>
  /** How busy the process is, unless as it is. */
  readonly load?: () => Load
}

export interface ServerOptions extends RouteOptions {
  /** 0 takes any free port; the bound address is in `HttpServer.HttpServer`. */
  readonly port: number
  readonly host: string
}

/** Every route that this server has. */
export const known = routesOf(Api, [
  IndexHttp.indexPath, Limits.docsPath, Limits.openapiPath,
  DashboardHttp.dashboardPath, DashboardHttp.faviconPath,
  ...ProbesHttp.paths
])

const routes = (
  { dashboardDirectory, load, rateLimitPerMinute, readiness, verification }: RouteOptions
) =>
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
    IndexHttp.layer,
    DashboardHttp.layer(dashboardDirectory),
    ProbesHttp.layer(readiness),
    Limits.layer(known)
  ).pipe(Layer.provide([layerAdmissions(load), Verification.layer(verification)]))

/** Of the 10 s that a stop may take, the rest is the ledger's, for what waits to be written. */
export const gracefulShutdownTimeout = "8500 millis"

/** The API, the pages and `/openapi.json`, on a server that listens already. */
export const layerRoutes = (options: RouteOptions) =>
  HttpRouter.serve(routes(options), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(Observed.tracing(known))
  )

/** Serves the API, the pages and `/openapi.json`; closing it lets requests in flight finish within 8.5 s. */
export const layer = ({ host, port, ...options }: ServerOptions) =>
  layerRoutes(options).pipe(Layer.provideMerge(Listener.layer({ host, port, gracefulShutdownTimeout })))
