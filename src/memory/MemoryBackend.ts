import { NodeHttpClient } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpClientError } from "effect/http"
import {
  InvalidRequest, PayloadTooLarge, TooManyRequests, Unauthorized, UnsupportedMediaType
} from "../api/Problems.ts"
import { within } from "../domain/Budget.ts"
import { BreakerOpen, type BreakerSettings, breakerSettings, makeBreaker } from "./Breaker.ts"
import { MemoryUnavailable } from "./Memory.ts"

/* What asking a memory elsewhere has in common, whatever protocol it speaks. */

export interface MemoryClientSettings {
  /** Longest wait for any answer, in milliseconds; callers with a smaller budget interrupt earlier. */
  readonly patienceMs: number
  /** Longest wait for a connection, in milliseconds. */
  readonly connectMs: number
  /** Largest answer that is read, in bytes. */
  readonly answerBytesMax: number
  /** Connections kept to the backend, count. */
  readonly connectionsMax: number
  /** How long an idle connection is kept, in milliseconds. */
  readonly keepAliveMs: number
  readonly breaker: BreakerSettings
}

export const memoryClientSettings: MemoryClientSettings = {
  // The longest that a reading caller waits; recall has a budget of its own far below.
  patienceMs: 5_000,
  // A backend in reach connects within milliseconds.
  connectMs: 1_000,
  // 64 candidates with 64 neighbours of about 400 bytes each are 1.6 MB.
  answerBytesMax: 4_000_000,
  // Two for each database connection that answers them.
  connectionsMax: 32,
  // Well under the 65 s after which our server closes them: nobody writes into a connection just closed.
  keepAliveMs: 30_000,
  breaker: breakerSettings
}

/**
 * What kind of trouble a failure was: `key` when the backend refused the key, `question` when it will never
 * take this question, `unasked` when the breaker did not let it out, `out` for anything else.
 */
export const troubleOf = ({ cause }: MemoryUnavailable): "key" | "question" | "unasked" | "out" => {
  if (cause instanceof Unauthorized) return "key"
  if (cause instanceof BreakerOpen) return "unasked"
  const isRefusal = cause instanceof InvalidRequest || cause instanceof PayloadTooLarge
    || cause instanceof UnsupportedMediaType
  return isRefusal ? "question" : "out"
}

/** The trouble without the request that it came of, whose headers hold the key. */
const withoutRequest = (cause: unknown): unknown =>
  HttpClientError.isHttpClientError(cause)
    ? new Error(cause.message, { cause: "cause" in cause.reason ? cause.reason.cause : cause.reason._tag })
    : cause

/** A refusal, one account's used-up quota included, shows a backend that is alive; garbage and 5xx do not. */
const speaksAgainst = (failure: MemoryUnavailable): boolean =>
  troubleOf(failure) === "out" && !(failure.cause instanceof TooManyRequests)

/**
 * Asks within the patience and behind one breaker. Every trouble is `MemoryUnavailable`, with the trouble as
 * its cause.
 */
export const makeGuard = (settings: MemoryClientSettings) => {
  const breaker = makeBreaker(settings.breaker)
  const tooSlow = () => new MemoryUnavailable({ cause: `no answer within ${settings.patienceMs} ms` })
  return <A, E>(question: Effect.Effect<A, E>): Effect.Effect<A, MemoryUnavailable> =>
    breaker.run(
      question.pipe(
        Effect.mapError((cause) => new MemoryUnavailable({ cause: withoutRequest(cause) })),
        // Whatever the decoder makes of garbage, it is the backend's.
        Effect.catchDefect((cause) => Effect.fail(new MemoryUnavailable({ cause }))),
        within(settings.patienceMs, tooSlow)
      ),
      speaksAgainst
    ).pipe(
      Effect.catchTag("BreakerOpen", (cause) => Effect.fail(new MemoryUnavailable({ cause })))
    )
}

/** Connections to the backend that follow no redirects and read answers up to a size. */
export const transport = (settings: MemoryClientSettings) =>
  NodeHttpClient.layerUndiciOptions({
    connections: settings.connectionsMax,
    keepAliveTimeout: settings.keepAliveMs,
    maxResponseSize: settings.answerBytesMax,
    connect: { timeout: settings.connectMs }
  })

/** Where the backend is, without what may be secret in its address. */
export const endpointOf = (baseUrl: URL): string => `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, "")}`
