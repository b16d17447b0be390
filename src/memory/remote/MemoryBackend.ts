/** Runs requests to a remote memory, with a time limit and a circuit breaker. */
import { Clock, Context, Effect, Redacted } from "effect"
import { HttpClientError, type HttpClientResponse } from "effect/http"
import { callerKeyOf } from "../../accounts/CallerKey.ts"
import { InvalidRequest, PayloadTooLarge, Unauthorized, UnsupportedMediaType } from "../../api/Problems.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { breakerSettings, makeCircuitBreaker } from "../../resilience/CircuitBreaker.ts"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { AskedToWait, makeWaits, retryAfterMs } from "../../resilience/RetryAfter.ts"
import { MemoryUnavailable } from "../Memory.ts"

export const memoryClientSettings = {
  /** Longest wait for an answer, ms, unless the caller's own time limit is shorter. */
  requestTimeoutMs: 5_000,
  connectMs: 1_000,
  // An answer with 64 neighbours of about 400 bytes for each of 64 candidates has 1.6 MB.
  answerBytesMax: 4_000_000,
  // Chosen.
  connectionsMax: 32,
  // Sextant's server closes idle connections after 65 s, so the client closes them first.
  keepAliveMs: 30_000,
  /** Longest pause that a `Retry-After` header can cause, ms, because a header may be wrong. */
  retryAfterMsMax: 60_000,
  breaker: breakerSettings
}

export type MemoryClientSettings = Readonly<typeof memoryClientSettings>

/** Statuses below 500 that do not reject a request for good: another key, time or address may help. */
const statusesOfCaller: ReadonlyArray<number> = [401, 402, 403, 404, 408, 429]

const isRejection = (status: number): boolean =>
  status >= 400 && status < 500 && !statusesOfCaller.includes(status)

/** Removes the request from an error, because its headers contain the key. */
const withoutRequest = (cause: unknown): unknown =>
  HttpClientError.isHttpClientError(cause)
    ? new Error(cause.message, { cause: "cause" in cause.reason ? cause.reason.cause : cause.reason._tag })
    : cause

interface RequestState {
  readonly key: Redacted.Redacted<string>
  /** Status of the response; null before the response has arrived. */
  status: number | null
  /** Pause that the response asks for, ms; null if none is known. */
  retryAfterMs: number | null
}

const noRequest: RequestState = { key: Redacted.make(""), status: null, retryAfterMs: null }

export const CurrentRequest = Context.Reference<RequestState>(
  "sextant/memory/remote/MemoryBackend/CurrentRequest",
  { defaultValue: () => noRequest }
)

/** Returns true if the circuit breaker counts the failure: statuses from 400 to 499 do not count. */
const isOutage = ({ reason: { _tag } }: MemoryUnavailable, { status }: RequestState): boolean =>
  (_tag === "Unreachable" || _tag === "TimedOut") && (status === null || status < 400 || status >= 500)

const isProblemOfRequest = (cause: unknown): boolean =>
  cause instanceof InvalidRequest || cause instanceof PayloadTooLarge || cause instanceof UnsupportedMediaType

/** An error that the protocol declares decides the reason; for other errors, the response's status does. */
const reasonOf = (cause: unknown, { retryAfterMs, status }: RequestState): Reason.FailureReason => {
  if (Reason.isFailureReason(cause)) return cause
  if (cause instanceof Unauthorized) return new Reason.Unauthorized({ cause })
  const isRejected = isProblemOfRequest(cause) || (status !== null && isRejection(status))
  if (isRejected) return new Reason.Rejected({ cause })
  return new Reason.Unreachable({
    cause,
    ...(status === null ? {} : { status }),
    ...(retryAfterMs === null ? {} : { retryAfterMs })
  })
}

interface BackendCalls {
  readonly breakerState: () => number
  /** Runs a request with the caller's API key. Every failure becomes `MemoryUnavailable` with its reason. */
  readonly call: <A, E>(
    key: Redacted.Redacted<string>,
    effect: Effect.Effect<A, E>
  ) => Effect.Effect<A, MemoryUnavailable>
  /** Records a response's status and requested pause, and passes a refused key to the listeners. */
  readonly recordResponse: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<void>
  readonly onRefused: (listener: (key: Redacted.Redacted<string>) => void) => void
}

export const makeBackendCalls = (settings: MemoryClientSettings): BackendCalls => {
  const breaker = makeCircuitBreaker(settings.breaker)
  const waits = makeWaits()
  const listeners: Array<(key: Redacted.Redacted<string>) => void> = []
  const tooSlow = () => MemoryUnavailable.timedOut(settings.requestTimeoutMs)
  const notSent = (cause: unknown, retryAfterMs: number) =>
    new MemoryUnavailable({ reason: new Reason.NotSent({ cause, retryAfterMs }) })
  return {
    breakerState: breaker.state,
    onRefused: (listener) => void listeners.push(listener),
    recordResponse: Effect.fnUntraced(function*({ headers, status }) {
      const request = yield* CurrentRequest
      request.status = status
      if (status === 401) for (const listener of listeners) listener(request.key)
      if (status !== 429 && status !== 503) return
      const nowMs = yield* Clock.currentTimeMillis
      const waitMs = retryAfterMs(headers["retry-after"], nowMs, settings.retryAfterMsMax)
      if (waitMs === null || waitMs === 0) return
      request.retryAfterMs = waitMs
      // Even after a 503, the backend's pause applies only to the request's key.
      const nowMonotonicMs = yield* monotonicMs
      waits.ask(request.key, nowMonotonicMs + waitMs, nowMonotonicMs)
    }),
    call: Effect.fnUntraced(function*(key, effect) {
      const waitMs = waits.leftMs(key, yield* monotonicMs)
      if (waitMs > 0) return yield* notSent(new AskedToWait(), waitMs)
      const request: RequestState = { key, status: null, retryAfterMs: null }
      const failed = (cause: unknown) =>
        new MemoryUnavailable({ reason: reasonOf(withoutRequest(cause), request) })
      return yield* breaker.run(
        effect.pipe(
          Effect.provideService(CurrentRequest, request),
          Effect.mapError(failed),
          // An answer that crashes the decoder counts as the backend's failure.
          Effect.catchDefect((cause) => Effect.fail(failed(cause))),
          deadline(settings.requestTimeoutMs, tooSlow)
        ),
        (failure) => isOutage(failure, request)
      ).pipe(
        Effect.catchTag("BreakerOpen", (cause) => Effect.fail(notSent(cause, cause.retryAfterMs)))
      )
    })
  }
}

/** Returns the API key of the request that this fiber serves; fails outside the account's requests. */
export const keyFor = (accountId: AccountId): Effect.Effect<Redacted.Redacted<string>, MemoryUnavailable> =>
  Effect.mapError(callerKeyOf(accountId), (cause) =>
    new MemoryUnavailable({ reason: new Reason.NotSent({ cause }) }))
