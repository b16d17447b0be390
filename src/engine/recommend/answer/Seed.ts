/** Seeds: benchmark results that an answer shows as evidence. */
import type { EvidenceRef } from "../../../domain/Evidence.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import { runCapability } from "../../../domain/model/Model.ts"
import type { TaskType, Unit } from "../../../domain/Task.ts"
import { dayMs } from "../../../domain/Time.ts"
import * as Weight from "../../../stats/WeightFactors.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Predicted } from "../candidates/Candidate.ts"
import { isMeasured } from "../prediction/Prior.ts"

export type SeedRule = Pick<
  EngineSettings,
  "seedCrowdOutcomes" | "seedHalfLifeDays" | "seedStaleDays" | "decayFloor" | "confidenceHalfSampleSize"
>

export interface SeedQuery {
  readonly taskType: TaskType
  readonly unit: Unit
  readonly nowMs: number
}

/**
 * Returns the benchmark evidence of a model, or null if there is none for the task, or if the lane's outcomes
 * of the model weigh more. A benchmark result is shown like an outcome, but affects the prediction only
 * through the prior.
 *
 * A benchmark result weighs `priorStrength` x h / (h + w), with h = `seedCrowdOutcomes` and the weight w of
 * the lane's outcomes. The weight of a benchmark result decays with its age.
 */
export const seedOf = (
  settings: SeedRule,
  { card, laneWeight, priorStrength }: Predicted,
  { nowMs, taskType, unit }: SeedQuery
): EvidenceRef | null => {
  const { [runCapability]: ofRuns } = card.capabilityByTaskType
  const kind = unit === "run" && ofRuns !== undefined ? runCapability : taskType
  const quality = card.capabilityByTaskType[kind]
  if (quality === undefined || !isMeasured(card)) return null
  const asOfMs = card.capabilityAsOf === null ? nowMs : Date.parse(card.capabilityAsOf)
  const ageDays = Math.max(0, nowMs - asOfMs) / dayMs
  const crowded = settings.seedCrowdOutcomes / (settings.seedCrowdOutcomes + laneWeight)
  const weight = priorStrength * crowded
    * Weight.decay(ageDays, settings.seedHalfLifeDays, settings.decayFloor)
  if (weight < laneWeight) return null
  return {
    entryId: `seed:${card.modelId}:${kind}`,
    referenceId: `benchmarks:${card.capabilityAsOf ?? card.capabilitySource}`,
    modelId: card.modelId,
    // A benchmark has no text, so its similarity to the task is given as 0.
    score: 0,
    knowledgeConfidence: Rounding.probability(weight / (weight + settings.confidenceHalfSampleSize)),
    observedSuccess: Rounding.probability(quality),
    isStale: ageDays > settings.seedStaleDays
  }
}
