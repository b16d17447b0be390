/* The middleware around every route: limits memory, checks bodies, adds headers, and renders errors. */
import { ByteSize, Context, Effect } from "effect"
import {
  HttpIncomingMessage, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse, ProblemDetails
} from "effect/http"
import type { unhandled } from "effect/Types"
import type { IncomingMessage } from "node:http"
import { getHeapStatistics } from "node:v8"
import { bodyBytesMax, makeBodyRoom, withCheckedBody } from "../body/Body.ts"
import { isMonitoring, measured } from "../HttpTelemetry.ts"
import type { Routes } from "../Routes.ts"
import { Admissions, type Purpose, purposeOf } from "./Admission.ts"
import { limitSettings } from "./LimitSettings.ts"
import { overloaded, retryAfterSeconds } from "./Retry.ts"

export type Response = HttpServerResponse.HttpServerResponse
export type Request = HttpServerRequest.HttpServerRequest

export const docsPath = "/docs"

const allowOf = ({ methods: all, routeOf }: Routes, request: Request): string | undefined => {
  const methods = all.get(routeOf(request.url) ?? "")
  if (methods === undefined) return undefined
  return [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ")
}

interface ProblemText {
  readonly title: string
  readonly detail: string
}

const problemTexts: Readonly<Record<number, ProblemText>> = {
  400: { title: "Invalid request", detail: "The request could not be read" },
  413: { title: "Payload too large", detail: "The body holds too many bytes" },
  499: { title: "Client closed request", detail: "The connection was closed before the answer was ready" },
  503: { title: "Service unavailable", detail: "The service is shutting down" }
}
const noMemory: ProblemText = { title: "Service unavailable", detail: overloaded }
const noPath = ({ methods }: Routes): ProblemText => ({
  title: "Not found",
  detail: methods.has(docsPath) ? `There is no such path; see ${docsPath}` : "There is no such path"
})
const unexpected: ProblemText = {
  title: "Internal server error",
  detail: "The request failed because of an error in the service, which was logged"
}

const problem = (status: number, { detail, title }: ProblemText): Response =>
  ProblemDetails.toResponse({ type: ProblemDetails.blankType, title, status, detail })

const notFoundOrNotAllowed = (known: Routes, request: Request): Response => {
  const allow = allowOf(known, request)
  if (allow === undefined) return problem(404, noPath(known))
  if (request.method === "OPTIONS") return HttpServerResponse.empty({ status: 204, headers: { allow } })
  const detail = `${request.method} is not allowed here; ${allow} are`
  return HttpServerResponse.setHeader(problem(405, { title: "Method not allowed", detail }), "allow", allow)
}

const always = { "x-content-type-options": "nosniff", "x-frame-options": "DENY" }
const unstored = { ...always, "cache-control": "no-store" }

const withSecurityHeaders = (response: Response): Response => {
  const isStorable = response.headers["cache-control"] !== undefined
  const secured = HttpServerResponse.setHeaders(response, isStorable ? always : unstored)
  if (response.status < 400) return secured
  return HttpServerResponse.setHeaders(secured, {
    ...(response.status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(response.status === 503 && response.headers["retry-after"] === undefined
      ? { "retry-after": String(retryAfterSeconds) }
      : {})
  })
}

/** Turns an error response into a problem. Responses below 400 and existing problems stay unchanged. */
const asProblem = (known: Routes, response: Response, request: Request): Response => {
  const { body, status } = response
  const isProblem = body._tag !== "Empty" && body.contentType === ProblemDetails.contentType
  if (status < 400 || isProblem) return response
  if (status === 404) return notFoundOrNotAllowed(known, request)
  return problem(status, problemTexts[status] ?? unexpected)
}

/** Headers of which Node silently keeps the first if a request has several. */
const single = ["authorization", "content-type", "host"]

/** Refuses a repeated header of `single`: a proxy may have checked the one that Node ignores. */
const headersProblem = (request: Request): ProblemText | null => {
  // On Node, `request.source` is Node's own request object. A request in a test may have no raw headers.
  const { httpVersion, rawHeaders = [] } = request.source as Partial<IncomingMessage>
  const title = "Invalid request"
  if (httpVersion === "1.1" && request.headers["host"] === undefined) {
    return { title, detail: "The request has no Host header" }
  }
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
  const twice = single.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  return twice === undefined ? null : { title, detail: `The request has more than one ${twice} header` }
}

/** Probes are answered even when memory is short, because the orchestrator would remove the process. */
const isProbe = (route: string | undefined): boolean => isMonitoring(route) || route === "/v1/capabilities"

/** Runs a handler with a checked body, and afterwards frees the memory of the body. */
const makeWithBody = () => {
  const { bodiesShare, feedbackBodiesShare } = limitSettings
  const room = makeBodyRoom(getHeapStatistics().heap_size_limit * bodiesShare, feedbackBodiesShare)
  const maxBodySize = ByteSize.fromInputUnsafe(bodyBytesMax)
  return <A, E, R>(httpEffect: Effect.Effect<A, E, R>, request: Request, purpose: Purpose) => {
    let taken = 0
    const take = (bytes: number): boolean => {
      const isTaken = room.take(bytes, purpose)
      if (isTaken) taken += bytes
      return isTaken
    }
    const checked = withCheckedBody(request, take)
    return Effect.ensuring(
      Effect.updateContext(httpEffect, (context: Context.Context<Exclude<R, Request>>) =>
        Context.add(
          Context.add(context, HttpServerRequest.HttpServerRequest, checked),
          HttpIncomingMessage.MaxBodySize, maxBodySize
        ) as Context.Context<R | Request>),
      Effect.sync(() => room.giveBack(taken))
    )
  }
}

/** Refuses requests before the memory runs out. The cause of a 500 is logged and not sent to the caller. */
export const layer = (known: Routes) => HttpRouter.middleware(
  Effect.map(Admissions, (admissions) => {
    const withBody = makeWithBody()
    const answer = <R>(
      httpEffect: Effect.Effect<Response, unhandled, R>,
      request: Request,
      route: string | undefined
    ) => {
      const wrong = headersProblem(request)
      if (wrong !== null) return Effect.succeed(problem(400, wrong))
      const purpose = purposeOf(route ?? "")
      return isProbe(route) || admissions.hasMemory(purpose)
        ? withBody(httpEffect, request, purpose)
        : Effect.succeed(problem(503, noMemory))
    }
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
          Effect.map((response) => withSecurityHeaders(asProblem(known, response, request)))
        )
      }).pipe(measured(known))
  }),
  { global: true }
)
