/** A candidate as the caller reads it, with its evidence and its rationale. */
import type { EvidenceRef } from "../../../domain/Evidence.ts"
import type { AnswerDetail, RankedModel } from "../../../domain/Recommendation.ts"
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
  /** `short` explains the pick alone. */
  readonly detail: AnswerDetail
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

/** The fields that explain a candidate. */
type Explanation = Pick<RankedModel, "estCostBreakdown" | "evidence" | "rationale">

const unexplained: Explanation = {}

/** A scored candidate as the caller reads it, in the order of the fields that answers have. */
const rankedModel = (
  { card, cost, decisionBasis, latencyMsP75, predictedSuccess, score, successHigh, successLow }: Scored,
  { estCostBreakdown, evidence, rationale }: Explanation,
  spellings: ExplanationQuery["spellings"]
): RankedModel => ({
  modelId: card.modelId,
  requestedModelId: spellings.get(card.modelId) ?? null,
  provider: card.provider,
  predictedSuccess,
  estCostUsd: cost.costUsd,
  ...(estCostBreakdown === undefined ? {} : { estCostBreakdown }),
  estCostLow: cost.lowUsd,
  estCostHigh: cost.highUsd,
  costBandBasis: cost.bandBasis,
  successIntervalWidth: Rounding.probability(successHigh - successLow),
  score,
  ...(rationale === undefined ? {} : { rationale }),
  decisionBasis,
  ...(evidence === undefined ? {} : { evidence }),
  supportsPromptCaching: card.supportsPromptCaching,
  contextWindow: card.contextWindow,
  estLatencyMs: latencyMsP75,
  latencyBasis: latencyMsP75 === null ? "" : "observed_p75"
})

/** The scored candidates of an answer as the caller reads them. */
export const rankedModels = (
  settings: RankedModelRule,
  goal: Goal,
  optimized: Optimized,
  question: ExplanationQuery
): ((candidate: Scored) => RankedModel) => {
  const rationale = rationales(settings, goal, optimized)
  const explained = (candidate: Scored): Explanation => ({
    estCostBreakdown: candidate.cost.breakdown,
    rationale: rationale(candidate),
    evidence: question.explain ? evidenceOf(settings, candidate, question) : []
  })
  return (candidate) => {
    const isExplained = question.detail === "full" || candidate === optimized.pick
    return rankedModel(candidate, isExplained ? explained(candidate) : unexplained, question.spellings)
  }
}
