/* Whether a load balancer should send requests to the process. */
import { Effect, MutableRef } from "effect"

/** `starting`: the database's schema has not been seen yet. `draining`: the process is about to stop. */
export type ReadinessState = "starting" | "ready" | "draining"

export interface Readiness {
  readonly state: Effect.Effect<ReadinessState>
  /** A later outage of a dependency does not undo it: all copies would become unready at once. */
  readonly markReady: Effect.Effect<void>
  readonly markDraining: Effect.Effect<void>
}

export const makeReadiness = (): Readiness => {
  const now = MutableRef.make<ReadinessState>("starting")
  return {
    state: Effect.sync(() => MutableRef.get(now)),
    markReady: Effect.sync(() => {
      if (MutableRef.get(now) === "starting") MutableRef.set(now, "ready")
    }),
    markDraining: Effect.sync(() => void MutableRef.set(now, "draining"))
  }
}
