/* The HTTP server of the service: the API, its documentation, the dashboard, the clients and the probes. */
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { Api } from "../api/Api.ts"
import { OtlpApi } from "../api/OtlpApi.ts"
import * as AccountHttp from "./AccountHttp.ts"
import * as AuthorizationHttp from "./AuthorizationHttp.ts"
import * as ClientsHttp from "./ClientsHttp.ts"
import * as DashboardHttp from "./DashboardHttp.ts"
import * as DocsHttp from "./docs/DocsHttp.ts"
import * as ReferenceHttp from "./docs/ReferenceHttp.ts"
import * as Endpoints from "./Endpoints.ts"
import * as FeedbackHttp from "./FeedbackHttp.ts"
import * as HttpTelemetry from "./HttpTelemetry.ts"
import * as IndexHttp from "./IndexHttp.ts"
import * as InsightHttp from "./InsightHttp.ts"
import type { Load } from "./limits/Admission.ts"
import * as Limits from "./limits/Limits.ts"
import { layerAdmissions } from "./limits/LoadSample.ts"
import * as Verification from "./limits/Verification.ts"
import * as ModelsHttp from "./ModelsHttp.ts"
import * as OtlpHttp from "./OtlpHttp.ts"
import * as ProbesHttp from "./ProbesHttp.ts"
import type { ReadinessState } from "./Readiness.ts"
import * as RecommendHttp from "./RecommendHttp.ts"
import * as ReportsHttp from "./ReportsHttp.ts"
import { routesOf } from "./Routes.ts"
import * as SystemHttp from "./SystemHttp.ts"

interface RouteOptions {
  /** Quota of an account, units of work per minute; null means that there is no quota. */
  readonly rateLimitPerMinute: number | null
  readonly verification?: Verification.VerificationOptions
  readonly dashboardDirectory?: string
  readonly docsDirectory?: string
  readonly clientsDirectory?: string
  /** The state that `/readyz` reports; if absent, `ready`. */
  readonly readiness?: Effect.Effect<ReadinessState>
  readonly load?: () => Load
}

export const known = routesOf(Api.addHttpApi(OtlpApi), [
  IndexHttp.indexPath, Limits.docsPath, ReferenceHttp.referencePath, ReferenceHttp.scriptPath,
  ReferenceHttp.openapiPath,
  DashboardHttp.dashboardPath, DashboardHttp.faviconPath, ...Object.values(ClientsHttp.clientPaths),
  ...ProbesHttp.paths
])

export const endpoints = Endpoints.layer(Api, {
  recommend: RecommendHttp.handlers,
  feedback: FeedbackHttp.handlers,
  models: ModelsHttp.handlers,
  insight: InsightHttp.handlers,
  reports: ReportsHttp.handlers,
  account: AccountHttp.handlers,
  system: SystemHttp.handlers
})

const routes = ({ load, rateLimitPerMinute, readiness, verification, ...directories }: RouteOptions) =>
  Layer.mergeAll(
    Layer.merge(endpoints, OtlpHttp.layer).pipe(Layer.provide(AuthorizationHttp.layer(rateLimitPerMinute))),
    DocsHttp.layer(directories.docsDirectory),
    ReferenceHttp.layer,
    IndexHttp.layer,
    DashboardHttp.layer(directories.dashboardDirectory),
    ClientsHttp.layer(directories.clientsDirectory),
    ProbesHttp.layer(readiness),
    Limits.layer(known)
  ).pipe(Layer.provide([layerAdmissions(load), Verification.layer(verification, readiness)]))

/** Serves the API and the pages on a server that already listens. */
export const layerRoutes = (options: RouteOptions) =>
  HttpRouter.serve(routes(options), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(HttpTelemetry.tracing(known))
  )
