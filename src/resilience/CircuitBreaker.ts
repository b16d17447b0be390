/** A circuit breaker around calls to a backend: after failures in a row it refuses calls for a while. */
import { Effect, Exit, Schema } from "effect"
import { monotonicMs } from "../domain/Time.ts"

export interface BreakerSettings {
  /** Failures in a row after which the circuit opens, count. */
  readonly failuresMax: number
  /** How long an open circuit refuses calls before it lets one through as a probe, in milliseconds. */
  readonly openMs: number
  /** Age from which an interrupted call counts as failed, in milliseconds. */
  readonly slowMs: number
}

export const breakerSettings: BreakerSettings = {
  // One lost packet or one cold lane is no outage; at 100 requests a second five failures take 50 ms.
  failuresMax: 5,
  // One request in a second pays for the probe, and a backend that is back is used within a second.
  openMs: 1_000,
  // An earlier interruption means that the caller left; the shortest budget of a caller, recall's, is 250 ms.
  slowMs: 200
}

/** The call was not made, because the calls before it failed. */
class CircuitOpen extends Schema.TaggedError<CircuitOpen>()("BreakerOpen", {
  /** How long before a call may probe, in milliseconds; 0 while one does. */
  retryAfterMs: Schema.Finite
}) {
  override get message() {
    return "The circuit is open after repeated failures"
  }
}

export interface CircuitBreaker {
  /** 0: closed; 0.5: a probe is running; 1: open. */
  readonly state: () => number
  /** Runs the call unless the circuit is open; `isFailure`: whether the error speaks against the backend. */
  readonly run: <A, E, R>(
    call: Effect.Effect<A, E, R>,
    isFailure: (error: E) => boolean
  ) => Effect.Effect<A, E | CircuitOpen, R>
}

/**
 * A circuit breaker. A closed circuit lets all calls through and an open one none; after `openMs` it lets one
 * call through as a probe, whose result closes the circuit or opens it again. The result of a call that
 * started before the circuit opened is ignored.
 *
 * An interrupted call that was slow counts as a failure, because most of our callers give a slow backend up
 * by interrupting the call. `effect/persistence/CircuitBreaker` ignores every interrupted call, so that a
 * backend that never answers would never open its circuit; a test shows both.
 */
export const makeCircuitBreaker = (settings: BreakerSettings): CircuitBreaker => {
  let failures = 0
  /** Null while closed. */
  let openUntilMs: number | null = null
  let isProbing = false
  let generation = 0

  /** The generation in which the call runs; null when the circuit refuses it. */
  const admitted = (nowMs: number): number | null => {
    if (openUntilMs === null) return generation
    if (isProbing || nowMs < openUntilMs) return null
    isProbing = true
    return generation
  }

  const succeeded = (): void => {
    if (openUntilMs !== null) generation++
    failures = 0
    openUntilMs = null
    isProbing = false
  }

  const failed = (nowMs: number): void => {
    failures++
    const wasProbe = isProbing
    isProbing = false
    if (!wasProbe && failures < settings.failuresMax) return
    generation++
    openUntilMs = nowMs + settings.openMs
  }

  /** What the end of a call says about the backend: true for success, false for failure, null for neither. */
  const verdictOf = <A, E>(
    exit: Exit.Exit<A, E>,
    tookMs: number,
    isFailure: (error: E) => boolean
  ): boolean | null => {
    if (Exit.isSuccess(exit)) return true
    for (const reason of exit.cause.reasons) {
      if (reason._tag === "Fail") return !isFailure(reason.error)
      if (reason._tag === "Die") return false
    }
    return tookMs >= settings.slowMs ? false : null
  }

  return {
    state: () => openUntilMs === null ? 0 : isProbing ? 0.5 : 1,
    run: <A, E, R>(call: Effect.Effect<A, E, R>, isFailure: (error: E) => boolean) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          const beganMs = yield* monotonicMs
          const ticket = admitted(beganMs)
          if (ticket === null) {
            return yield* new CircuitOpen({ retryAfterMs: Math.max(0, (openUntilMs ?? 0) - beganMs) })
          }
          return yield* restore(call).pipe(Effect.onExit((exit) =>
            Effect.map(monotonicMs, (nowMs) => {
              if (ticket !== generation) return
              const verdict = verdictOf(exit, nowMs - beganMs, isFailure)
              if (verdict === true) succeeded()
              else if (verdict === false) failed(nowMs)
              else isProbing = false
            })
          ))
        })
      )
  }
}
