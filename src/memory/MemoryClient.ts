import { NodeHttpClient } from "@effect/platform-node"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { InvalidRequest, PayloadTooLarge, Unauthorized, UnsupportedMediaType } from "../api/Problems.ts"
import { within } from "../domain/Budget.ts"
import { BreakerOpen, type BreakerSettings, breakerSettings, makeBreaker } from "./Breaker.ts"
import { MemoryUnavailable } from "./Memory.ts"
import { MemoryApi } from "./MemoryApi.ts"
import { AskedToWait, makeWaits, retryAfterMs } from "./RetryAfter.ts"

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
  /** Longest `Retry-After` that is honoured, in milliseconds. */
  readonly retryAfterMsMax: number
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
  // A header gone wrong must not take memory away for longer than a quota's window.
  retryAfterMsMax: 60_000,
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
  /** Tells the listener of every key that the backend refuses, as soon as it does. */
  readonly onRefused: (listener: (key: Redacted.Redacted<string>) => void) => void
}>()("sextant/memory/MemoryClient") {}

/**
 * What kind of trouble a failure was: `key` when the backend refused the key, `question` when it will never
 * take this question, `unasked` when the question was not let out, `out` for anything else.
 */
export const troubleOf = ({ cause }: MemoryUnavailable): "key" | "question" | "unasked" | "out" => {
  if (cause instanceof Unauthorized) return "key"
  if (cause instanceof BreakerOpen || cause instanceof AskedToWait) return "unasked"
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

/** What the response to this fiber's question said before it was read; null until there is one. */
interface Heard {
  status: number | null
  retryAfterMs: number | null
}
const Heard = Context.Reference<Heard>("sextant/memory/MemoryClient/Heard", {
  defaultValue: () => ({ status: null, retryAfterMs: null })
})

/** A refusal, one account's used-up quota included, shows a backend that is alive; garbage and 5xx do not. */
const speaksAgainst = (failure: MemoryUnavailable, { status }: Heard): boolean =>
  troubleOf(failure) === "out" && status !== 429

const make = Effect.fnUntraced(function*(baseUrl: URL, settings: MemoryClientSettings) {
  const breaker = makeBreaker(settings.breaker)
  const waits = makeWaits()
  const listeners: Array<(key: Redacted.Redacted<string>) => void> = []

  /** Heeds what the response says of the time to come, whatever its body turns out to be. */
  const heed = Effect.fnUntraced(function*({ headers, status }: HttpClientResponse.HttpClientResponse) {
    const heard = yield* Heard
    heard.status = status
    if (status === 401) {
      const key = yield* Key
      for (const listener of listeners) listener(key)
    }
    if (status !== 429 && status !== 503) return
    const nowMs = yield* Clock.currentTimeMillis
    const waitMs = retryAfterMs(headers["retry-after"], nowMs, settings.retryAfterMsMax)
    if (waitMs === null || waitMs === 0) return
    heard.retryAfterMs = waitMs
    if (status === 503) breaker.hold(nowMs + waitMs)
    else waits.ask(yield* Key, nowMs + waitMs, nowMs)
  })

  const base = baseUrl.href.replace(/\/+$/, "")
  const api = yield* HttpApiClient.make(MemoryApi, {
    transformClient: (client) =>
      client.pipe(
        HttpClient.mapRequestEffect((request) =>
          Effect.map(Effect.service(Key), (key) =>
            request.pipe(HttpClientRequest.prependUrl(base), HttpClientRequest.bearerToken(key)))),
        HttpClient.tap(heed)
      )
  })
  const tooSlow = () => new MemoryUnavailable({ cause: `no answer within ${settings.patienceMs} ms` })
  return MemoryClient.of({
    endpoint: `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, "")}`,
    onRefused: (listener) => void listeners.push(listener),
    ask: Effect.fnUntraced(function*(key, question) {
      const waitMs = waits.leftMs(key, yield* Clock.currentTimeMillis)
      if (waitMs > 0) return yield* new MemoryUnavailable({ cause: new AskedToWait(), retryAfterMs: waitMs })
      const heard: Heard = { status: null, retryAfterMs: null }
      const failed = (cause: unknown) =>
        new MemoryUnavailable({
          cause: withoutRequest(cause),
          ...(heard.retryAfterMs === null ? {} : { retryAfterMs: heard.retryAfterMs })
        })
      return yield* breaker.run(
        question(api).pipe(
          Effect.provideService(Key, key),
          Effect.provideService(Heard, heard),
          Effect.mapError(failed),
          // Whatever the decoder makes of garbage, it is the backend's.
          Effect.catchDefect((cause) => Effect.fail(new MemoryUnavailable({ cause }))),
          within(settings.patienceMs, tooSlow)
        ),
        (failure) => speaksAgainst(failure, heard)
      ).pipe(
        Effect.catchTag("BreakerOpen", (cause) =>
          Effect.fail(new MemoryUnavailable({ cause, retryAfterMs: cause.retryAfterMs })))
      )
    })
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
