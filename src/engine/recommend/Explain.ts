import type { EvidenceRef } from "../../domain/Evidence.ts"
import type { RankedModel } from "../../domain/Recommendation.ts"
import type { defaults } from "../Settings.ts"
import type { Scored } from "./Candidate.ts"
import type { Caching } from "./ColdCost.ts"
import type { Goal, Optimized } from "./Optimize.ts"
import { rationale } from "./Rationale.ts"

/** The neighbours that weighed most, heaviest first; those without weight informed nothing. */
const evidenceOf = (settings: typeof defaults, candidate: Scored): ReadonlyArray<EvidenceRef> =>
  candidate.neighbours
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

/** A scored candidate of this answer as the caller reads it. */
export const rankedModel = (
  settings: typeof defaults,
  goal: Goal,
  optimized: Optimized,
  candidate: Scored,
  explain: boolean
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
  evidence: explain ? evidenceOf(settings, candidate) : [],
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
