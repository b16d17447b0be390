/** What is known of the candidates that cannot be called now. */
import { type AccountHealth, unhealthOf, type UnhealthyModel } from "../../ledger/ModelsHealth.ts"
import type { Candidate } from "../recommend/candidates/Candidate.ts"

/** What a choice knows of unhealthy candidates. */
export interface UnhealthyCandidates {
  /** What stands against each, by the candidate's id. */
  readonly unhealthy: ReadonlyMap<string, UnhealthyModel>
  /** The one that this recommendation tries; null for none. */
  readonly tried: string | null
}

/** The unhealthy ones among the candidates; null where there are none. */
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

/** The candidates with all that is due for a try taken for healthy; null where nothing is due. */
export const withDue = (health: UnhealthyCandidates, nowMs: number): UnhealthyCandidates | null => {
  const waiting = [...health.unhealthy].filter(([, { probeAtMs, triedUntilMs }]) =>
    probeAtMs > nowMs || triedUntilMs > nowMs)
  return waiting.length === health.unhealthy.size ? null : { ...health, unhealthy: new Map(waiting) }
}
