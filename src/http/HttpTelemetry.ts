/* Telemetry of requests: the metric of their durations, and the names of their spans. */
import { Clock, Effect, Exit, Layer } from "effect"
import {
  HttpMiddleware, HttpServerError, HttpServerRequest, type HttpServerResponse, UrlParams
} from "effect/http"
import { MetricsEnabled, meters } from "../telemetry/Metrics.ts"
import { attribute } from "../telemetry/SemanticConventions.ts"
import { paths as probes } from "./ProbesHttp.ts"
import type { Routes } from "./Routes.ts"

/** Routes of the service and of a memory server that monitoring systems request often. */
const monitoringRoutes: ReadonlySet<string> = new Set([...probes, "/v1/health", "/health"])

/** HTTP methods that metrics name; all others count as `_OTHER`, so that no client adds series. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
const methodOf = (method: string): string => methods.has(method) ? method : "_OTHER"

export const isMonitoring = (route: string | undefined): boolean =>
  route !== undefined && monitoringRoutes.has(route)

export const measured =
  ({ routeOf }: Routes) =>
  <E, R>(
    handled: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
    Effect.withFiber((fiber) => {
      if (!fiber.getRef(MetricsEnabled)) return handled
      const clock = fiber.getRef(Clock.Clock)
      const began = clock.currentTimeNanosUnsafe()
      return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const route = routeOf(request.url)
        const record = (status: number) =>
          meters.requests({
            [attribute.method]: methodOf(request.method),
            [attribute.route]: route ?? "other",
            [attribute.status]: String(status)
          }).updateUnsafe(Number(clock.currentTimeNanosUnsafe() - began) / 1e9, fiber.context)
        return Effect.onExit(handled, (exit) =>
          Exit.isSuccess(exit)
            ? Effect.sync(() => record(exit.value.status))
            : Effect.map(HttpServerError.causeResponse(exit.cause), ([{ status }]) => record(status)))
      })
    })

/** Redacts every query parameter in traces, because a caller may send a key in the query by mistake. */
const redactedQueries = Layer.succeed(UrlParams.CurrentRedactedNames, [/(?:)/])

/** Requests that only monitor the process have no spans. */
export const tracing = ({ routeOf }: Routes) =>
  Layer.mergeAll(
    redactedQueries,
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }) => isMonitoring(routeOf(url))),
    Layer.succeed(HttpMiddleware.SpanNameGenerator, (request) => {
      const route = routeOf(request.url)
      return route === undefined ? methodOf(request.method) : `${methodOf(request.method)} ${route}`
    })
  )
