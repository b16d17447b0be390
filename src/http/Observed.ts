import { Clock, Effect, Exit, Layer } from "effect"
import {
  HttpMiddleware, HttpServerError, HttpServerRequest, type HttpServerResponse, UrlParams
} from "effect/http"
import { Metered, meters } from "../domain/Meters.ts"
import { attribute } from "../domain/Signals.ts"
import { paths as probes } from "./ProbesHttp.ts"

/** What is asked every few seconds by whoever watches over the service, or over a memory. */
const watched: ReadonlySet<string> = new Set([...probes, "/v1/health", "/health"])

/** As the paths of the API are written: without a query, and without a slash at the end. */
export const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string => {
  const path = url.split("?", 1)[0] ?? ""
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path
}

/** Anything else is `_OTHER`, as the semantic conventions have it: a client must not make series. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
const methodOf = (method: string): string => methods.has(method) ? method : "_OTHER"

/** Whether a request only asks how the process is. */
export const isWatch = (request: HttpServerRequest.HttpServerRequest): boolean => watched.has(pathOf(request))

/** Measures every request by route and final status; `known` are the paths that are served. */
export const measured =
  (known: { readonly has: (path: string) => boolean }) =>
  <E, R>(
    handled: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
    Effect.withFiber((fiber) => {
      if (!fiber.getRef(Metered)) return handled
      const clock = fiber.getRef(Clock.Clock)
      const began = clock.currentTimeNanosUnsafe()
      return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const path = pathOf(request)
        const tell = (status: number) =>
          meters.requests({
            [attribute.method]: methodOf(request.method),
            [attribute.route]: known.has(path) ? path : "other",
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
export const tracing = (known: { readonly has: (path: string) => boolean }) =>
  Layer.mergeAll(
    queriesUntold,
    // A trace of each would drown the others.
    Layer.succeed(HttpMiddleware.TracerDisabledWhen, isWatch),
    Layer.succeed(HttpMiddleware.SpanNameGenerator, (request) => {
      const path = pathOf(request)
      return known.has(path) ? `${methodOf(request.method)} ${path}` : methodOf(request.method)
    })
  )
