/** A candidate as the caller reads it, with its evidence and its rationale. */
import type { EvidenceRef } from "../../../domain/Evidence.ts"
import type { RankedModel } from "../../../domain/Recommendation.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import type { TaskType } from "../../../domain/Task.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Scored } from "../candidates/Candidate.ts"
import type { Goal, Optimized } from "../choice/Choose.ts"
import { rationales, type RationaleRule } from "./Rationale.ts"
import { seedOf, type SeedRule } from "./Seed.ts"

/** How much evidence is shown, and when a seed is. */
type EvidenceRule = SeedRule & Pick<EngineSettings, "evidencePerModel">
/** The numbers of an explanation. */
export type RankedModelRule = EvidenceRule & RationaleRule

/** What an explanation is for. */
interface ExplanationQuery {
  /** Whether the evidence is shown. */
  readonly explain: boolean
  readonly taskType: TaskType
  readonly nowMs: number
  /** The caller's spelling of each model that it named, by our id. */
  readonly spellings: ReadonlyMap<string, string>
}

/**
 * The neighbours that weighed most, heaviest first, then the seed. Neighbours without weight are left out:
 * the prediction does not rest on them.
 */
const evidenceOf = (
  settings: EvidenceRule,
  candidate: Scored,
  { nowMs, taskType }: ExplanationQuery
): ReadonlyArray<EvidenceRef> => {
  const { all, heavy, rows } = candidate.neighbours
  const lived = rows.slice(0, Math.min(heavy, settings.evidencePerModel)).map((row) => ({
    entryId: all.entryId(row),
    referenceId: all.entryId(row),
    modelId: candidate.card.modelId,
    score: Rounding.figure(all.similarity(row)),
    knowledgeConfidence: Rounding.probability(all.reliability(row)),
    observedSuccess: Rounding.probability(all.quality(row)),
    isStale: all.isStale(row)
  }))
  const seed = lived.length < settings.evidencePerModel ? seedOf(settings, candidate, taskType, nowMs) : null
  return seed === null ? lived : [...lived, seed]
}

/** A scored candidate as the caller reads it. */
const rankedModel = (
  settings: RankedModelRule,
  candidate: Scored,
  rationale: string,
  question: ExplanationQuery
): RankedModel => ({
  modelId: candidate.card.modelId,
  requestedModelId: question.spellings.get(candidate.card.modelId) ?? null,
  provider: candidate.card.provider,
  predictedSuccess: candidate.predictedSuccess,
  estCostUsd: candidate.cost.costUsd,
  estCostBreakdown: candidate.cost.breakdown,
  estCostLow: candidate.cost.lowUsd,
  estCostHigh: candidate.cost.highUsd,
  costBandBasis: candidate.cost.bandBasis,
  successIntervalWidth: Rounding.probability(candidate.successHigh - candidate.successLow),
  score: candidate.score,
  rationale,
  decisionBasis: candidate.decisionBasis,
  evidence: question.explain ? evidenceOf(settings, candidate, question) : [],
  supportsPromptCaching: candidate.card.supportsPromptCaching,
  contextWindow: candidate.card.contextWindow,
  estLatencyMs: candidate.latencyMsP75,
  latencyBasis: candidate.latencyMsP75 === null ? "" : "observed_p75"
})

/** The scored candidates of an answer as the caller reads them. */
export const rankedModels = (
  settings: RankedModelRule,
  goal: Goal,
  optimized: Optimized,
  question: ExplanationQuery
): ((candidate: Scored) => RankedModel) => {
  const rationale = rationales(settings, goal, optimized)
  return (candidate) => rankedModel(settings, candidate, rationale(candidate), question)
}
