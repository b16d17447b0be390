import { ByteSize, Effect } from "effect"
import {
  HttpIncomingMessage, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse, ProblemDetails
} from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import type { unhandled } from "effect/Types"
import { getHeapStatistics } from "node:v8"
import { Admissions, purposeOf } from "./Admission.ts"
import { bodyBytesMax, makeBodyRoom, withCheckedBody } from "./Body.ts"
import { limitSettings } from "./LimitSettings.ts"
import { isWatch, measured, pathOf } from "./Observed.ts"
import { overloaded, retryAfterSeconds } from "./Retry.ts"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest

export const docsPath = "/docs"
export const openapiPath = "/openapi.json"

/** Methods by path, as a server has them. */
export type Paths = ReadonlyMap<string, ReadonlySet<string>>

/** What an API has, and pages beside it that are only looked at. */
export const pathsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  pages: ReadonlyArray<string>
): Paths => {
  const methods = new Map(pages.map((path) => [path, new Set<string>(["GET"])]))
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      methods.set(endpoint.path, (methods.get(endpoint.path) ?? new Set()).add(endpoint.method))
    }
  })
  return methods
}

/** The `Allow` header of a path, or undefined when there is no such path. */
const allowOf = (known: Paths, request: Request): string | undefined => {
  const methods = known.get(pathOf(request))
  if (methods === undefined) return undefined
  return [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")
}

interface Words {
  readonly title: string
  readonly detail: string
}

const words: Readonly<Record<number, Words>> = {
  400: { title: "Invalid request", detail: "The request could not be read" },
  413: { title: "Payload too large", detail: `The body may hold at most ${bodyBytesMax} bytes` },
  415: { title: "Unsupported media type", detail: "The body must be sent as application/json" },
  499: { title: "Client closed request", detail: "The connection was closed before the answer was ready" },
  503: { title: "Service unavailable", detail: "The service is shutting down" }
}
const noMemory: Words = { title: "Service unavailable", detail: overloaded }
const noPath = (known: Paths): Words => ({
  title: "Not found",
  detail: known.has(docsPath) ? `There is no such path; see ${docsPath}` : "There is no such path"
})
const unexpected: Words = {
  title: "Internal server error",
  detail: "Something went wrong on our side; it was logged"
}

const problem = (status: number, { detail, title }: Words): Response =>
  ProblemDetails.toResponse({ type: ProblemDetails.blankType, title, status, detail })

const notFoundOrNotAllowed = (known: Paths, request: Request): Response => {
  const allow = allowOf(known, request)
  if (allow === undefined) return problem(404, noPath(known))
  if (request.method === "OPTIONS") return HttpServerResponse.empty({ status: 204, headers: { allow } })
  const detail = `${request.method} is not allowed here; ${allow} are`
  return HttpServerResponse.setHeader(problem(405, { title: "Method not allowed", detail }), "allow", allow)
}

const hardened = (response: Response, request: Request): Response =>
  HttpServerResponse.setHeaders(response, {
    "x-content-type-options": "nosniff",
    ...(request.url.startsWith("/v1/") ? { "cache-control": "no-store" } : {}),
    // The page carries its own scripts and styles; whatever it might still ask of another host is refused.
    ...(request.url.startsWith(docsPath)
      ? { "content-security-policy": "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:" }
      : {}),
    ...(response.status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(response.status === 503 && response.headers["retry-after"] === undefined
      ? { "retry-after": String(retryAfterSeconds) }
      : {})
  })

/** A refusal as a problem, whatever part of the server answered it; other responses as they are. */
const rendered = (known: Paths, response: Response, request: Request): Response => {
  const { body, status } = response
  const isProblem = body._tag !== "Empty" && body.contentType === ProblemDetails.contentType
  if (status < 400 || isProblem) return response
  if (status === 404) return notFoundOrNotAllowed(known, request)
  return problem(status, words[status] ?? unexpected)
}

/** HTTP/1.1 has every request name its host; proxies and caches rely on it. */
const lacksHost = (request: Request): boolean => {
  // The seam to the platform, whose request is Node's own.
  const { httpVersion } = request.source as { readonly httpVersion?: string }
  return httpVersion === "1.1" && request.headers["host"] === undefined
}
const noHost: Words = { title: "Invalid request", detail: "The request has no Host header" }

/**
 * Probes are told how the service is, whatever it has to do: one that is refused looks like a dead process to
 * what runs it, which then takes copies away from those that have too much to do.
 */
const isProbe = (request: Request): boolean => isWatch(request) || pathOf(request) === "/v1/capabilities"

/** Runs what answers a request, with its body checked; the room that the body took is free again after it. */
const makeWithBody = () => {
  const room = makeBodyRoom(getHeapStatistics().heap_size_limit * limitSettings.bodiesShare)
  return <A, E, R>(httpEffect: Effect.Effect<A, E, R>, request: Request) => {
    let taken = 0
    const take = (bytes: number): boolean => {
      const isTaken = room.take(bytes)
      if (isTaken) taken += bytes
      return isTaken
    }
    return httpEffect.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, withCheckedBody(request, take)),
      Effect.ensuring(Effect.sync(() => room.giveBack(taken)))
    )
  }
}

/**
 * Around every route of a server with these paths: turns requests away before the memory runs out, bounds and
 * checks the body, renders every refusal as a problem, and logs the cause of a 500 instead of telling it.
 */
export const layer = (known: Paths) => HttpRouter.middleware(
  Effect.map(Admissions, (admissions) => {
    const withBody = makeWithBody()
    const isRefused = (request: Request): boolean =>
      !isProbe(request) && !admissions.hasMemory(purposeOf(request.url))
    const answer = <R>(httpEffect: Effect.Effect<Response, unhandled, R>, request: Request) =>
      lacksHost(request)
        ? Effect.succeed(problem(400, noHost))
        : isRefused(request)
        ? Effect.succeed(problem(503, noMemory))
        : withBody(httpEffect, request)
    return (httpEffect): Effect.Effect<Response, unhandled, Request> =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        answer(httpEffect, request).pipe(
          Effect.catchCause((cause) =>
            Effect.flatMap(HttpServerError.causeResponse(cause), ([response]) =>
              response.status === 500
                ? Effect.as(Effect.logError("Request failed", cause), response)
                : Effect.succeed(response))
          ),
          Effect.map((response) => hardened(rendered(known, response, request), request)),
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(bodyBytesMax))
        )).pipe(measured(known))
  }),
  { global: true }
)
