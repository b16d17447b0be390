import { Clock, Effect, Exit, Layer } from "effect"
import {
  HttpMiddleware, HttpServerError, HttpServerRequest, type HttpServerResponse, UrlParams
} from "effect/http"
import { MetricsEnabled, meters } from "../telemetry/Metrics.ts"
import { attribute } from "../telemetry/SemanticConventions.ts"
import { paths as probes } from "./ProbesHttp.ts"
import type { Routes } from "./Routes.ts"

/** What is asked every few seconds by whoever watches over the service, or over a memory. */
const watched: ReadonlySet<string> = new Set([...probes, "/v1/health", "/health"])

/** Anything else is `_OTHER`, as the semantic conventions have it: a client must not make series. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
const methodOf = (method: string): string => methods.has(method) ? method : "_OTHER"

/** Whether a request of this route only asks how the process is. */
export const isWatch = (route: string | undefined): boolean => route !== undefined && watched.has(route)

/** Measures every request by the route that answers it and by its final status. */
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
        const tell = (status: number) =>
          meters.requests({
            [attribute.method]: methodOf(request.method),
            [attribute.route]: route ?? "other",
            [attribute.status]: String(status)
          }).updateUnsafe(Number(clock.currentTimeNanosUnsafe() - began) / 1e9, fiber.context)
        return Effect.onExit(handled, (exit) =>
          Exit.isSuccess(exit)
            ? Effect.sync(() => tell(exit.value.status))
            : Effect.map(HttpServerError.causeResponse(exit.cause), ([{ status }]) => tell(status)))
      })
    })

/** Of every parameter: a key that is sent in a query by mistake must not reach the traces. */
const queriesUntold = Layer.succeed(UrlParams.CurrentRedactedNames, [/(?:)/])

/** Names of the servers' spans, and requests that have none. Paths of ours hold no parameters. */
export const tracing = ({ routeOf }: Routes) =>
  Layer.mergeAll(
    queriesUntold,
    // A trace of each would drown the others.
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }) => isWatch(routeOf(url))),
    Layer.succeed(HttpMiddleware.SpanNameGenerator, (request) => {
      const route = routeOf(request.url)
      return route === undefined ? methodOf(request.method) : `${methodOf(request.method)} ${route}`
    })
  )
