/** Policy: excludes unhealthy models, whose calls break too often. */
import { modelIdOf } from "../../domain/model/ModelVariant.ts"
import type { PolicyMaker } from "./Policy.ts"

/**
 * Keeps the healthy candidates, the unhealthy candidate that is tried now, and the baseline that a guarantee
 * needs. If no candidate would remain, all candidates stay.
 */
export const withinHealth: PolicyMaker = ({ guarantee, health }) => health === null ? null : (choice) => {
  const { tried, unhealthy } = health
  const kept = choice.candidates.filter(({ card: { modelId } }) =>
    modelId === tried || modelId === guarantee?.baselineModelId || !unhealthy.has(modelId))
  const named = new Set(choice.candidates.flatMap(({ card: { modelId } }) =>
    unhealthy.has(modelId) ? [modelIdOf(modelId)] : []))
  const candidates = kept.length > 0 ? kept : choice.candidates
  const left = new Set(candidates.map(({ card: { modelId } }) => modelId))
  return {
    ...choice,
    candidates,
    passedBy: [...choice.passedBy, {
      reason: "health",
      includes: ({ card: { modelId } }) => unhealthy.has(modelId) && !left.has(modelId)
    }],
    warnings: [...choice.warnings, ...[...named].map((id) => `model_unhealthy:${id}` as const)]
  }
}
