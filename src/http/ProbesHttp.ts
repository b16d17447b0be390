import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import type { ReadinessState } from "./Readiness.ts"

export const livenessPath = "/livez"
export const readinessPath = "/readyz"

const uncached = { "cache-control": "no-store" }

const alive = Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "ok" }, { headers: uncached }))

/** A refusal is a problem here as everywhere. */
const readyOr503 = (state: Effect.Effect<ReadinessState>) =>
  Effect.map(state, (status) =>
    status === "ready"
      ? HttpServerResponse.jsonUnsafe({ status }, { headers: uncached })
      : HttpServerResponse.setHeaders(
        ProblemDetails.toResponse({
          type: ProblemDetails.blankType, title: "Not ready", status: 503, detail: `The service is ${status}`
        }),
        uncached
      ))

/** Anything but a look, which a probe has no use for. */
const notAllowed = HttpServerRequest.HttpServerRequest.use(({ method }) =>
  Effect.succeed(method === "OPTIONS"
    ? HttpServerResponse.empty({ status: 204, headers: { allow } })
    : HttpServerResponse.setHeader(
      ProblemDetails.toResponse({
        type: ProblemDetails.blankType,
        title: "Method not allowed",
        status: 405,
        detail: `${method} is not allowed here; ${allow} are`
      }),
      "allow",
      allow
    ))
)
const allow = "GET, HEAD, OPTIONS"
const otherMethods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

/**
 * Two probes for what runs the process, without a key and without a look at any dependency. `/livez`: restart
 * it when this stops answering. `/readyz`: send it requests while this answers 200.
 */
export const layer = (state: Effect.Effect<ReadinessState>) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    for (const [path, answer] of [[livenessPath, alive], [readinessPath, readyOr503(state)]] as const) {
      yield* router.add("GET", path, answer)
      for (const method of otherMethods) yield* router.add(method, path, notAllowed)
    }
  }))
