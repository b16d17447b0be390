/** The models that a choice passes by because they cannot be called now. */
import { modelIdOf } from "../../../domain/model/Arm.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import { type AccountHealth, unhealthOf, type UnhealthyModel } from "../../../ledger/ModelsHealth.ts"
import type { Candidate, CostedCandidate } from "../candidates/Candidate.ts"

/** What a choice knows of unhealthy candidates. */
export interface HealthGoal {
  /** What stands against each, by the candidate's id. */
  readonly unhealthy: ReadonlyMap<string, UnhealthyModel>
  /** The one that this recommendation tries; null for none. */
  readonly tried: string | null
}

/** The unhealthy ones among the candidates; null where there are none. */
export const healthGoal = (
  health: AccountHealth,
  candidates: ReadonlyArray<Pick<Candidate, "card">>
): HealthGoal | null => {
  if (health.known.every(({ isHealthy }) => isHealthy)) return null
  const unhealthy = new Map(candidates.flatMap(({ card }) => {
    const against = unhealthOf(health, card)
    return against === undefined ? [] : [[card.modelId, against] as const]
  }))
  return unhealthy.size === 0 ? null : { unhealthy, tried: null }
}

/**
 * The candidates that can be called, the one that is tried, and a guarantee's baseline, without which
 * nothing would be guaranteed. Where none can, all stay: a choice is never empty for it.
 */
export const withinHealth = (
  candidates: ReadonlyArray<CostedCandidate>,
  goal: HealthGoal | null,
  baselineModelId: string | null
): { readonly kept: ReadonlyArray<CostedCandidate>; readonly notes: ReadonlyArray<RecommendWarning> } => {
  if (goal === null) return { kept: candidates, notes: [] }
  const ids = candidates.map(({ card: { modelId } }) => modelId).filter((id) => goal.unhealthy.has(id))
  const kept = candidates.filter(({ card: { modelId } }) =>
    modelId === goal.tried || modelId === baselineModelId || !goal.unhealthy.has(modelId))
  return {
    kept: kept.length > 0 ? kept : candidates,
    notes: [...new Set(ids.map(modelIdOf))].map((id) => `model_unhealthy:${id}` as const)
  }
}

/** The goal with all that is due for a try taken for healthy; null where nothing is due. */
export const withDue = (goal: HealthGoal, nowMs: number): HealthGoal | null => {
  const waiting = [...goal.unhealthy].filter(([, { probeAtMs, triedUntilMs }]) =>
    probeAtMs > nowMs || triedUntilMs > nowMs)
  return waiting.length === goal.unhealthy.size ? null : { ...goal, unhealthy: new Map(waiting) }
}
