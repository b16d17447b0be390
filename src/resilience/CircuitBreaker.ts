/** A circuit breaker: after several failures in a row, it refuses calls to a backend for a while. */
import { Effect, Exit, Schema } from "effect"
import { monotonicMs } from "../domain/Time.ts"

export const breakerSettings = {
  /** Failures in a row that open the circuit: more than 1, because one lost packet is no outage. */
  failuresMax: 5,
  /** Time for which an open circuit refuses all calls, ms. */
  openMs: 1_000,
  /** Duration from which an interrupted call is a failure, ms; shorter than a recall's 250 ms. */
  slowMs: 200
}

type BreakerSettings = Readonly<typeof breakerSettings>

class CircuitOpen extends Schema.TaggedError<CircuitOpen>()("BreakerOpen", {
  /** Time until the next probe, ms; 0 while a probe runs. */
  retryAfterMs: Schema.Finite
}) {
  override get message() {
    return "The circuit is open after repeated failures"
  }
}

export interface CircuitBreaker {
  /** Returns 0 if the circuit is closed, 0.5 while a probe runs, and otherwise 1. */
  readonly state: () => number
  /** `isFailure` returns true if the error is the backend's fault. */
  readonly run: <A, E, R>(
    call: Effect.Effect<A, E, R>,
    isFailure: (error: E) => boolean
  ) => Effect.Effect<A, E | CircuitOpen, R>
}

class Circuit {
  readonly #settings: BreakerSettings
  #failures = 0
  /** Earliest time of the next probe; null while the circuit is closed. */
  #openUntilMs: number | null = null
  #isProbing = false
  generation = 0

  constructor(settings: BreakerSettings) {
    this.#settings = settings
  }

  get state(): number {
    return this.#openUntilMs === null ? 0 : this.#isProbing ? 0.5 : 1
  }

  openForMs(nowMs: number): number {
    return Math.max(0, (this.#openUntilMs ?? 0) - nowMs)
  }

  /** Returns how often the circuit has opened or closed so far; null if the circuit refuses the call. */
  admit(nowMs: number): number | null {
    if (this.#openUntilMs === null) return this.generation
    if (this.#isProbing || nowMs < this.#openUntilMs) return null
    this.#isProbing = true
    return this.generation
  }

  succeed(): void {
    if (this.#openUntilMs !== null) this.generation++
    this.#failures = 0
    this.#openUntilMs = null
    this.#isProbing = false
  }

  fail(nowMs: number): void {
    this.#failures++
    const wasProbe = this.#isProbing
    this.#isProbing = false
    if (!wasProbe && this.#failures < this.#settings.failuresMax) return
    this.generation++
    this.#openUntilMs = nowMs + this.#settings.openMs
  }

  ignore(): void {
    this.#isProbing = false
  }
}

/** Returns true if the call shows that the backend works, false if it fails; null if it shows neither. */
const verdictOf = <A, E>(
  exit: Exit.Exit<A, E>,
  isSlow: boolean,
  isFailure: (error: E) => boolean
): boolean | null => {
  if (Exit.isSuccess(exit)) return true
  for (const reason of exit.cause.reasons) {
    if (reason._tag === "Fail") return !isFailure(reason.error)
    if (reason._tag === "Die") return false
  }
  return isSlow ? false : null
}

/**
 * `openMs` after the circuit opened, one call is let through as a probe, whose success closes the circuit and
 * whose failure opens it again. If the circuit opens or closes during a call, the call's result is ignored. A
 * slow call that was interrupted is a failure, because callers give up on a slow backend by interrupting.
 * Effect's own circuit breaker ignores interrupted calls.
 */
export const makeCircuitBreaker = (settings: BreakerSettings): CircuitBreaker => {
  const circuit = new Circuit(settings)
  return {
    state: () => circuit.state,
    run: <A, E, R>(call: Effect.Effect<A, E, R>, isFailure: (error: E) => boolean) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          const beganMs = yield* monotonicMs
          const generation = circuit.admit(beganMs)
          if (generation === null) {
            return yield* new CircuitOpen({ retryAfterMs: circuit.openForMs(beganMs) })
          }
          return yield* restore(call).pipe(Effect.onExit((exit) =>
            Effect.map(monotonicMs, (nowMs) => {
              if (generation !== circuit.generation) return
              const verdict = verdictOf(exit, nowMs - beganMs >= settings.slowMs, isFailure)
              if (verdict === true) circuit.succeed()
              else if (verdict === false) circuit.fail(nowMs)
              else circuit.ignore()
            })
          ))
        })
      )
  }
}
