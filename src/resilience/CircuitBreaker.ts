/** A circuit breaker around calls to a backend: after failures in a row it refuses calls for a while. */
import { Effect, Exit, Schema } from "effect"
import { monotonicMs } from "../domain/Time.ts"

export const breakerSettings = {
  /**
   * Failures in a row after which the circuit opens, count. One lost packet or one cold lane is no outage; at
   * 100 requests a second five failures take 50 ms.
   */
  failuresMax: 5,
  /**
   * How long an open circuit refuses calls before it lets one through as a probe, ms. One request in a second
   * pays for the probe, and a backend that is back is used within a second.
   */
  openMs: 1_000,
  /**
   * Age from which an interrupted call counts as failed, ms. An earlier interruption means that the caller
   * left; a caller waits 250 ms at least, for a recall.
   */
  slowMs: 200
}

type BreakerSettings = Readonly<typeof breakerSettings>

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
  /** Runs the call unless the circuit is open; `isFailure`: whether the error is the backend's fault. */
  readonly run: <A, E, R>(
    call: Effect.Effect<A, E, R>,
    isFailure: (error: E) => boolean
  ) => Effect.Effect<A, E | CircuitOpen, R>
}

/** The state of a circuit: closed, open or probing. It starts closed. */
class Circuit {
  readonly #settings: BreakerSettings
  #failures = 0
  /** Null while closed. */
  #openUntilMs: number | null = null
  #isProbing = false
  /** Number of times that the circuit has opened or closed. */
  generation = 0

  constructor(settings: BreakerSettings) {
    this.#settings = settings
  }

  /** As {@link CircuitBreaker.state}. */
  get state(): number {
    return this.#openUntilMs === null ? 0 : this.#isProbing ? 0.5 : 1
  }

  /** How long an open circuit refuses calls from now on, ms. */
  openForMs(nowMs: number): number {
    return Math.max(0, (this.#openUntilMs ?? 0) - nowMs)
  }

  /** The generation in which the call runs; null when the circuit refuses it. */
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

  /** Ends a call that shows neither success nor failure. */
  ignore(): void {
    this.#isProbing = false
  }
}

/** What the end of a call shows of the backend: true for success, false for failure, null for neither. */
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
 * A circuit breaker. A closed circuit lets all calls through and an open one none; after `openMs` it lets one
 * call through as a probe, whose result closes the circuit or opens it again. The result of a call that
 * started before the circuit opened is ignored.
 *
 * An interrupted call that was slow counts as a failure, because most of our callers give a slow backend up
 * by interrupting the call. `effect/persistence/CircuitBreaker` ignores every interrupted call, so that a
 * backend that never answers would never open its circuit; a test shows both.
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
