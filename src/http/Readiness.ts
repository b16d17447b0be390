/* The readiness of the process for a load balancer's requests. */
import { Effect } from "effect"

/**
 * The state of a process. `starting`: the database's schema was not found yet, or the bootstrap keys are not
 * registered. `draining`: the process is about to stop.
 */
export type ReadinessState = "starting" | "ready" | "draining"

/** A condition that a process waits for before it is ready. */
type Need = "schema" | "keys"

export interface Readiness {
  readonly state: Effect.Effect<ReadinessState>
  /** Marks a need as met for good: an outage of the database would make all copies unready at once. */
  readonly mark: (need: Need) => Effect.Effect<void>
  readonly markDraining: Effect.Effect<void>
}

export const makeReadiness = (): Readiness => {
  const missing = new Set<Need>(["schema", "keys"])
  let isDraining = false
  return {
    state: Effect.sync(() => missing.size > 0 ? "starting" : isDraining ? "draining" : "ready"),
    mark: (need) => Effect.sync(() => void missing.delete(need)),
    markDraining: Effect.sync(() => {
      isDraining = true
    })
  }
}
