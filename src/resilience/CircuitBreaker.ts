import { Effect, Exit, Schema } from "effect"
import { monotonicMs } from "../domain/Time.ts"

export interface BreakerSettings {
  /** Failures in a row after which calls are refused unasked, count. */
  readonly failuresMax: number
  /** How long they are refused before one of them may probe, in milliseconds. */
  readonly openMs: number
  /** An interrupted call that had waited this long counts as failed, in milliseconds. */
  readonly slowMs: number
}

export const breakerSettings: BreakerSettings = {
  // One lost packet or one cold lane is no outage; at 100 requests a second five failures take 50 ms.
  failuresMax: 5,
  // One request in a second pays for the probe, and a backend that is back is used within a second.
  openMs: 1_000,
  // Whoever interrupts earlier has gone away; the recall budget, 250 ms, is the least that says "too slow".
  slowMs: 200
}

/** Not asked: what was asked before it has failed too often. */
export class CircuitOpen extends Schema.TaggedError<CircuitOpen>()("BreakerOpen", {
  /** How long before a call may probe, in milliseconds; 0 while one does. */
  retryAfterMs: Schema.Finite
}) {
  override get message() {
    return "The backend has failed and is left alone for a moment"
  }
}

export interface CircuitBreaker {
  /** 0 closed, 0.5 probing, 1 open. */
  readonly state: () => number
  /** Runs the call unless the circuit is open; `isFailure`: does this error speak against the backend? */
  readonly run: <A, E, R>(
    call: Effect.Effect<A, E, R>,
    isFailure: (error: E) => boolean
  ) => Effect.Effect<A, E | CircuitOpen, R>
}

/**
 * A circuit breaker: closed it lets all calls through, open none, and after `openMs` a single one, whose end
 * closes it or opens it again. A call that began before the circuit opened no longer moves it.
 */
export const makeCircuitBreaker = (settings: BreakerSettings): CircuitBreaker => {
  let failures = 0
  /** Null while closed. */
  let openUntilMs: number | null = null
  let isProbing = false
  let generation = 0

  /** The generation in which the call runs, or null when it may not. */
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

  /** What the end of a call says of the backend: well, not well, or nothing. */
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
