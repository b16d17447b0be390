import { Effect, MutableRef } from "effect"

/**
 * Whether a balancer should send requests here. `starting`: no dependency that the service cannot begin
 * without has answered yet. `draining`: the process is about to stop.
 */
export type ReadinessState = "starting" | "ready" | "draining"

export interface Readiness {
  readonly state: Effect.Effect<ReadinessState>
  /** Once ready, an outage behind the service changes nothing: it would take out all copies at once. */
  readonly isUp: Effect.Effect<void>
  readonly drains: Effect.Effect<void>
}

export const makeReadiness = (): Readiness => {
  const now = MutableRef.make<ReadinessState>("starting")
  return {
    state: Effect.sync(() => MutableRef.get(now)),
    isUp: Effect.sync(() => {
      if (MutableRef.get(now) === "starting") MutableRef.set(now, "ready")
    }),
    drains: Effect.sync(() => void MutableRef.set(now, "draining"))
  }
}
