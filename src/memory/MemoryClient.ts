import { NodeHttpClient } from "@effect/platform-node"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import {
  InvalidRequest, PayloadTooLarge, TooManyRequests, Unauthorized, UnsupportedMediaType
} from "../api/Problems.ts"
import { within } from "../domain/Budget.ts"
import { BreakerOpen, type BreakerSettings, breakerSettings, makeBreaker } from "./Breaker.ts"
import { MemoryUnavailable } from "./Memory.ts"
import { MemoryApi } from "./MemoryApi.ts"

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

type Api = HttpApiClient.ForApi<typeof MemoryApi>

/** One client of one backend, which memory and keys share: the same connections, the same breaker. */
export class MemoryClient extends Context.Service<MemoryClient, {
  /** Where the backend is, without what may be secret in its address. */
  readonly endpoint: string
  /** Asks with the caller's own key. Every trouble is `MemoryUnavailable`, with the trouble as its cause. */
  readonly ask: <A, E>(
    key: Redacted.Redacted<string>,
    question: (api: Api) => Effect.Effect<A, E>
  ) => Effect.Effect<A, MemoryUnavailable>
}>()("sextant/memory/MemoryClient") {}

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

const noKey = Redacted.make("")
/** The key that this fiber's question is asked with. */
const Key = Context.Reference<Redacted.Redacted<string>>("sextant/memory/MemoryClient/Key", {
  defaultValue: () => noKey
})

/** A refusal, one account's used-up quota included, shows a backend that is alive; garbage and 5xx do not. */
const speaksAgainst = (failure: MemoryUnavailable): boolean =>
  troubleOf(failure) === "out" && !(failure.cause instanceof TooManyRequests)

const make = Effect.fnUntraced(function*(baseUrl: URL, settings: MemoryClientSettings) {
  const breaker = makeBreaker(settings.breaker)
  const base = baseUrl.href.replace(/\/+$/, "")
  const api = yield* HttpApiClient.make(MemoryApi, {
    transformClient: HttpClient.mapRequestEffect((request) =>
      Effect.map(Effect.service(Key), (key) =>
        request.pipe(HttpClientRequest.prependUrl(base), HttpClientRequest.bearerToken(key))))
  })
  const tooSlow = () => new MemoryUnavailable({ cause: `no answer within ${settings.patienceMs} ms` })
  return MemoryClient.of({
    endpoint: `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, "")}`,
    ask: (key, question) =>
      breaker.run(
        question(api).pipe(
          Effect.provideService(Key, key),
          Effect.mapError((cause) => new MemoryUnavailable({ cause: withoutRequest(cause) })),
          // Whatever the decoder makes of garbage, it is the backend's.
          Effect.catchDefect((cause) => Effect.fail(new MemoryUnavailable({ cause }))),
          within(settings.patienceMs, tooSlow)
        ),
        speaksAgainst
      ).pipe(
        Effect.catchTag("BreakerOpen", (cause) => Effect.fail(new MemoryUnavailable({ cause })))
      )
  })
})

/** The client of the backend at `baseUrl`; it follows no redirects and reads answers up to a size. */
export const layer = (
  baseUrl: URL,
  settings: MemoryClientSettings = memoryClientSettings
): Layer.Layer<MemoryClient> =>
  Layer.effect(MemoryClient, make(baseUrl, settings)).pipe(
    Layer.provide(NodeHttpClient.layerUndiciOptions({
      connections: settings.connectionsMax,
      keepAliveTimeout: settings.keepAliveMs,
      maxResponseSize: settings.answerBytesMax,
      connect: { timeout: settings.connectMs }
    }))
  )
