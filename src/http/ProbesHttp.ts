/* The probes `/livez` and `/readyz`, for the orchestrator that runs the process. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse, ProblemDetails } from "effect/http"
import type { ReadinessState } from "./Readiness.ts"

const livenessPath = "/livez"
const readinessPath = "/readyz"
export const paths = [livenessPath, readinessPath] as const

const uncached = { "cache-control": "no-store" }

const alive = Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "ok" }, { headers: uncached }))

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

/** Serves the two probes. A probe needs no key and checks no dependency, so an outage restarts nothing. */
export const layer = (state: Effect.Effect<ReadinessState> = Effect.succeed("ready")) =>
  Layer.mergeAll(
    HttpRouter.add("GET", livenessPath, alive),
    HttpRouter.add("GET", readinessPath, readyOr503(state))
  )
