import { ByteSize, Effect } from "effect"
import {
  HttpIncomingMessage, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse, ProblemDetails
} from "effect/http"
import type { unhandled } from "effect/Types"
import { getHeapStatistics } from "node:v8"
import { Admissions, purposeOf } from "./Admission.ts"
import { bodyBytesMax, makeBodyRoom, withCheckedBody } from "../Body.ts"
import { limitSettings } from "./LimitSettings.ts"
import { isWatch, measured } from "../Observed.ts"
import { overloaded, retryAfterSeconds } from "./Retry.ts"
import type { Routes } from "../Routes.ts"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest

export const docsPath = "/docs"
export const openapiPath = "/openapi.json"

/** The `Allow` header of a path, or undefined when there is no such path. */
const allowOf = ({ methods: all, routeOf }: Routes, request: Request): string | undefined => {
  const methods = all.get(routeOf(request.url) ?? "")
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
const noPath = ({ methods }: Routes): Words => ({
  title: "Not found",
  detail: methods.has(docsPath) ? `There is no such path; see ${docsPath}` : "There is no such path"
})
const unexpected: Words = {
  title: "Internal server error",
  detail: "Something went wrong on our side; it was logged"
}

const problem = (status: number, { detail, title }: Words): Response =>
  ProblemDetails.toResponse({ type: ProblemDetails.blankType, title, status, detail })

const notFoundOrNotAllowed = (known: Routes, request: Request): Response => {
  const allow = allowOf(known, request)
  if (allow === undefined) return problem(404, noPath(known))
  if (request.method === "OPTIONS") return HttpServerResponse.empty({ status: 204, headers: { allow } })
  const detail = `${request.method} is not allowed here; ${allow} are`
  return HttpServerResponse.setHeader(problem(405, { title: "Method not allowed", detail }), "allow", allow)
}

/** Pages without data: the same for everybody, and for caches too. Whatever else is answered is not kept. */
const isPublic = (route: string | undefined): boolean => route === docsPath || route === openapiPath

/** The page carries its own scripts and styles; whatever it might still ask of another host is refused. */
const docsPolicy = [
  "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:", "base-uri 'none'", "frame-ancestors 'none'"
].join("; ")

const hardened = (response: Response, route: string | undefined): Response =>
  HttpServerResponse.setHeaders(response, {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    ...(isPublic(route) || response.headers["cache-control"] !== undefined
      ? {}
      : { "cache-control": "no-store" }),
    ...(route === docsPath ? { "content-security-policy": docsPolicy } : {}),
    ...(response.status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(response.status === 503 && response.headers["retry-after"] === undefined
      ? { "retry-after": String(retryAfterSeconds) }
      : {})
  })

/** A refusal as a problem, whatever part of the server answered it; other responses as they are. */
const rendered = (known: Routes, response: Response, request: Request): Response => {
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
const isProbe = (route: string | undefined): boolean => isWatch(route) || route === "/v1/capabilities"

/** Runs what answers a request, with its body checked; the room that the body took is free again after it. */
const makeWithBody = () => {
  const { bodiesShare, feedbackBodiesShare } = limitSettings
  const room = makeBodyRoom(getHeapStatistics().heap_size_limit * bodiesShare, feedbackBodiesShare)
  return <A, E, R>(httpEffect: Effect.Effect<A, E, R>, request: Request) => {
    const purpose = purposeOf(request.url)
    let taken = 0
    const take = (bytes: number): boolean => {
      const isTaken = room.take(bytes, purpose)
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
export const layer = (known: Routes) => HttpRouter.middleware(
  Effect.map(Admissions, (admissions) => {
    const withBody = makeWithBody()
    const isRefused = (route: string | undefined): boolean =>
      !isProbe(route) && !admissions.hasMemory(purposeOf(route ?? ""))
    const answer = <R>(
      httpEffect: Effect.Effect<Response, unhandled, R>,
      request: Request,
      route: string | undefined
    ) =>
      lacksHost(request)
        ? Effect.succeed(problem(400, noHost))
        : isRefused(route)
        ? Effect.succeed(problem(503, noMemory))
        : withBody(httpEffect, request)
    return (httpEffect): Effect.Effect<Response, unhandled, Request> =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const route = known.routeOf(request.url)
        return answer(httpEffect, request, route).pipe(
          Effect.catchCause((cause) =>
            Effect.flatMap(HttpServerError.causeResponse(cause), ([response]) =>
              response.status === 500
                ? Effect.as(Effect.logError("Request failed", cause), response)
                : Effect.succeed(response))
          ),
          Effect.map((response) => hardened(rendered(known, response, request), route)),
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.fromInputUnsafe(bodyBytesMax))
        )
      }).pipe(measured(known))
  }),
  { global: true }
)
