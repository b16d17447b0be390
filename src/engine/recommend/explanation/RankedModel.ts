import type { EvidenceRef } from "../../../domain/Evidence.ts"
import type { RankedModel } from "../../../domain/Recommendation.ts"
import type { TaskType } from "../../../domain/Task.ts"
import type { defaults } from "../../Settings.ts"
import type { Scored } from "../candidates/Candidate.ts"
import type { Caching } from "../cost/ListCost.ts"
import type { Goal, Optimized } from "../Optimize.ts"
import { rationale } from "./Rationale.ts"
import { seedOf } from "./Seed.ts"

/** What an explanation is about. */
export interface Question {
  /** False leaves the evidence out. */
  readonly explain: boolean
  readonly taskType: TaskType
  readonly nowMs: number
}

/**
 * The neighbours that weighed most, heaviest first, then the seed; neighbours without weight informed
 * nothing.
 */
const evidenceOf = (
  settings: typeof defaults,
  candidate: Scored,
  { nowMs, taskType }: Question
): ReadonlyArray<EvidenceRef> => {
  const lived = candidate.neighbours
    .filter(({ weight }) => weight > 0)
    .slice(0, settings.evidencePerModel)
    .map(({ neighbour }) => ({
      entryId: neighbour.entryId,
      referenceId: neighbour.entryId,
      modelId: neighbour.modelId,
      score: neighbour.similarity,
      knowledgeConfidence: neighbour.reliability,
      observedSuccess: neighbour.quality,
      isStale: neighbour.isStale
    }))
  const seed = lived.length < settings.evidencePerModel ? seedOf(settings, candidate, taskType, nowMs) : null
  return seed === null ? lived : [...lived, seed]
}

/** A scored candidate of this answer as the caller reads it. */
export const rankedModel = (
  settings: typeof defaults,
  goal: Goal,
  optimized: Optimized,
  candidate: Scored,
  question: Question
): RankedModel => ({
  modelId: candidate.card.modelId,
  provider: candidate.card.provider,
  predictedSuccess: candidate.predictedSuccess,
  estCostUsd: candidate.cost.costUsd,
  estCostBreakdown: candidate.cost.breakdown,
  estCostLow: candidate.cost.lowUsd,
  estCostHigh: candidate.cost.highUsd,
  costBandBasis: candidate.cost.bandBasis,
  successIntervalWidth: candidate.successHigh - candidate.successLow,
  score: candidate.score,
  rationale: rationale(settings, goal, optimized, candidate),
  decisionBasis: candidate.decisionBasis,
  evidence: question.explain ? evidenceOf(settings, candidate, question) : [],
  supportsPromptCaching: candidate.card.supportsPromptCaching,
  contextWindow: candidate.card.contextWindow,
  estLatencyMs: candidate.latencyMsP75,
  latencyBasis: candidate.latencyMsP75 === null ? "" : "observed_p75"
})

/**
 * Near-free ways to save on this very call: a cache that the incumbent already holds is to be kept warm, any
 * other to be turned on, where reading it is cheaper than reading the input anew.
 */
export const recommendedActions = (
  settings: typeof defaults,
  { card }: Scored,
  inputTokens: number,
  { incumbentModelId }: Caching
): ReadonlyArray<string> => {
  const saves = card.cacheReadCostPerMtok === null || card.cacheReadCostPerMtok < card.inputCostPerMtok
  if (!card.supportsPromptCaching || !saves || inputTokens < settings.promptCacheInputTokens) return []
  return [card.modelId === incumbentModelId ? "keep_prompt_cache" : "enable_prompt_cache"]
}
