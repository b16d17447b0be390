import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { ServiceUnavailable } from "../../api/Problems.ts"

/**
 * What `Retry-After` says of an outage, in seconds: long enough for a database to fail over, short for
 * people.
 */
export const retryAfterSeconds = 2

/** What a request is told that the service has no room or no time for. */
export const overloaded = "The service has too much to do; please retry"

/** Sets `Retry-After` on whatever this request is answered, in whole seconds, at least 1. */
export const retryAfter = (seconds: number) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(
      HttpServerResponse.setHeader(response, "retry-after", String(Math.max(1, Math.ceil(seconds))))
    )
  )

/** 503 for an outage whose cause goes to the log and not to the caller. */
export const unavailable = (what: string) => (cause: unknown): Effect.Effect<never, ServiceUnavailable> =>
  Effect.andThen(
    Effect.logWarning(`${what} is unavailable`, cause),
    Effect.fail(new ServiceUnavailable({ detail: `${what} is unavailable; please retry` }))
  )
