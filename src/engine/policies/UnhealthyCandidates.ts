/** Finds the unhealthy candidates, whose calls break too often. */
import { type AccountHealth, unhealthOf, type UnhealthyModel } from "../../ledger/ModelsHealth.ts"
import type { Candidate } from "../recommend/candidates/Candidate.ts"

export interface UnhealthyCandidates {
  /** The health of each unhealthy candidate, by the candidate's id. */
  readonly unhealthy: ReadonlyMap<string, UnhealthyModel>
  /** The unhealthy candidate that this recommendation may try, or null if it tries none. */
  readonly tried: string | null
}

/** Returns the unhealthy candidates, or null if there are none. */
export const unhealthyOf = (
  health: AccountHealth,
  candidates: ReadonlyArray<Pick<Candidate, "card">>
): UnhealthyCandidates | null => {
  if (health.known.every(({ isHealthy }) => isHealthy)) return null
  const unhealthy = new Map(candidates.flatMap(({ card }) => {
    const against = unhealthOf(health, card)
    return against === undefined ? [] : [[card.modelId, against] as const]
  }))
  return unhealthy.size === 0 ? null : { unhealthy, tried: null }
}

/** Returns the unhealthy candidates that are not due for a trial call; null if no candidate is due. */
export const withDue = (health: UnhealthyCandidates, nowMs: number): UnhealthyCandidates | null => {
  const waiting = [...health.unhealthy].filter(([, { probeAtMs, triedUntilMs }]) =>
    probeAtMs > nowMs || triedUntilMs > nowMs)
  return waiting.length === health.unhealthy.size ? null : { ...health, unhealthy: new Map(waiting) }
}
