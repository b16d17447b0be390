/* Answers that ask the client to retry later. */
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { ServiceUnavailable } from "../../api/Problems.ts"

/** Default `Retry-After` of a 503 answer, s. Chosen. */
export const retryAfterSeconds = 2

export const overloaded = "The service is overloaded; please retry"

/** Sets the header `Retry-After` of this request's answer, in whole seconds, at least 1. */
export const retryAfter = (seconds: number) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(
      HttpServerResponse.setHeader(response, "retry-after", String(Math.max(1, Math.ceil(seconds))))
    )
  )

/** Logs the cause of an outage, and fails with a 503 that does not name the cause. */
export const unavailable = (what: string) => (cause: unknown) =>
  Effect.andThen(
    Effect.logWarning(`${what} is unavailable`, cause),
    Effect.fail(new ServiceUnavailable({ detail: `${what} is unavailable; please retry` }))
  )
