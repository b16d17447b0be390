/* Tells whether the process is ready to get requests from a load balancer. */
import { Effect } from "effect"

/** `starting`: the schema or the bootstrap keys are not yet there. `draining`: the process will stop soon. */
export type ReadinessState = "starting" | "ready" | "draining"

type Need = "schema" | "keys"

export interface Readiness {
  readonly state: Effect.Effect<ReadinessState>
  /** Marks a need as met for good: an outage of the database must not make all copies unready at once. */
  readonly mark: (need: Need) => Effect.Effect<void>
  readonly isMet: (need: Need) => Effect.Effect<boolean>
  readonly markDraining: Effect.Effect<void>
}

export const makeReadiness = (): Readiness => {
  const missing = new Set<Need>(["schema", "keys"])
  let isDraining = false
  return {
    state: Effect.sync(() => missing.size > 0 ? "starting" : isDraining ? "draining" : "ready"),
    mark: (need) => Effect.sync(() => void missing.delete(need)),
    isMet: (need) => Effect.sync(() => !missing.has(need)),
    markDraining: Effect.sync(() => {
      isDraining = true
    })
  }
}
