/** Requests to a remote memory: key, deadline, circuit breaker, reason of a failure. */
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
  /** Longest wait for any answer, ms; callers with less time interrupt earlier. */
  requestTimeoutMs: 5_000,
  // A reachable backend connects within milliseconds.
  connectMs: 1_000,
  // 64 candidates with 64 neighbours of about 400 bytes each are 1.6 MB.
  answerBytesMax: 4_000_000,
  // Two for each database connection of the backend.
  connectionsMax: 32,
  // Well under the 65 s after which our server closes idle ones: no request goes into a closed connection.
  keepAliveMs: 30_000,
  /** Longest `Retry-After` that is honoured, ms: a quota's window, for a header may be wrong. */
  retryAfterMsMax: 60_000,
  breaker: breakerSettings
}

export type MemoryClientSettings = Readonly<typeof memoryClientSettings>

/** Statuses after which another key, a later time, a paid bill or the right address may do better. */
const statusesOfCaller: ReadonlyArray<number> = [401, 402, 403, 404, 408, 429]

/** Whether the status says that the backend will never accept the request. */
const isRejection = (status: number): boolean =>
  status >= 400 && status < 500 && !statusesOfCaller.includes(status)

/** The error without its request, whose headers hold the key. */
const withoutRequest = (cause: unknown): unknown =>
  HttpClientError.isHttpClientError(cause)
    ? new Error(cause.message, { cause: "cause" in cause.reason ? cause.reason.cause : cause.reason._tag })
    : cause

/** The state of a request in progress: its key, and the status and headers of its response. */
interface RequestState {
  readonly key: Redacted.Redacted<string>
  /** Status and pause of the response; null until there is one. */
  status: number | null
  retryAfterMs: number | null
}

const noRequest: RequestState = { key: Redacted.make(""), status: null, retryAfterMs: null }

/** The state of the request that this fiber is making. */
export const CurrentRequest = Context.Reference<RequestState>(
  "sextant/memory/remote/MemoryBackend/CurrentRequest",
  { defaultValue: () => noRequest }
)

/** Whether the failure counts against the backend. A refusal, such as for a used-up quota, does not. */
const isOutage = ({ reason: { _tag } }: MemoryUnavailable, { status }: RequestState): boolean =>
  (_tag === "Unreachable" || _tag === "TimedOut") && (status === null || status < 400 || status >= 500)

const isProblemOfRequest = (cause: unknown): boolean =>
  cause instanceof InvalidRequest || cause instanceof PayloadTooLarge || cause instanceof UnsupportedMediaType

/**
 * The reason of a call that failed. A problem that the backend names in our protocol decides; of any other
 * answer the status does, and without an answer the backend is unreachable.
 */
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

/** Calls to one backend. */
interface BackendCalls {
  /** State of the circuit breaker. 0: closed; 0.5: a probe is running; 1: open. */
  readonly breakerState: () => number
  /** Runs a request with the caller's own key. Every failure is `MemoryUnavailable` with its reason. */
  readonly call: <A, E>(
    key: Redacted.Redacted<string>,
    effect: Effect.Effect<A, E>
  ) => Effect.Effect<A, MemoryUnavailable>
  /** To be run on each response: records its status and `Retry-After`, and reports a refused key. */
  readonly recordResponse: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<void>
  /** Calls the listener with every key that the backend refuses, at once. */
  readonly onRefused: (listener: (key: Redacted.Redacted<string>) => void) => void
}

/** Makes calls to one backend: with a deadline, a circuit breaker, and pauses where the backend asks. */
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
      // The wait is the key's own, also after a 503: a backend that is busy for all keys opens the circuit.
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
          // A decoder that dies on garbage is the backend's fault.
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

/** The key for requests about the account: that of the request in progress. */
export const keyFor = (accountId: AccountId): Effect.Effect<Redacted.Redacted<string>, MemoryUnavailable> =>
  Effect.mapError(callerKeyOf(accountId), (cause) =>
    new MemoryUnavailable({ reason: new Reason.NotSent({ cause }) }))
