/** The answer's entry of one candidate, with its evidence and its rationale. */
import { effortOf, modelIdOf, namedOf } from "../../../domain/model/Arm.ts"
import type { EvidenceRef } from "../../../domain/Evidence.ts"
import type { RankedModel, RecommendedModel } from "../../../domain/RankedModel.ts"
import type { AnswerDetail } from "../../../domain/Recommendation.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import type { TaskType } from "../../../domain/Task.ts"
import type { EngineSettings } from "../../Settings.ts"
import { marginalUsd, type Scored } from "../candidates/Candidate.ts"
import type { Goal, Optimized } from "../choice/Choose.ts"
import { rationales, type RationaleRule } from "./Rationale.ts"
import { seedOf, type SeedRule } from "./Seed.ts"

/** How much evidence is shown, and when a seed is. */
type ShownEvidenceRule = SeedRule & Pick<EngineSettings, "evidencePerModel">
/** The numbers of an explanation. */
export type RankedModelRule = ShownEvidenceRule & RationaleRule

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
  settings: ShownEvidenceRule,
  candidate: Scored,
  { nowMs, taskType }: ExplanationQuery
): ReadonlyArray<EvidenceRef> => {
  const { all, heavy, rows } = candidate.neighbours
  const model = namedOf(candidate.card.modelId)
  const lived = rows.slice(0, Math.min(heavy, settings.evidencePerModel)).map((row) => ({
    entryId: all.entryId(row),
    referenceId: all.entryId(row),
    ...model,
    score: Rounding.figure(all.similarity(row)),
    knowledgeConfidence: Rounding.probability(all.reliability(row)),
    observedSuccess: Rounding.probability(all.quality(row)),
    isStale: all.isStale(row)
  }))
  const seed = lived.length < settings.evidencePerModel ? seedOf(settings, candidate, taskType, nowMs) : null
  return seed === null ? lived : [...lived, seed]
}

/** Our id of a candidate's model, its effort, and the caller's spelling of the model. */
export const namesOf = (
  { card: { modelId } }: Pick<Scored, "card">,
  spellings: ReadonlyMap<string, string>
) => ({
  modelId: modelIdOf(modelId),
  effort: effortOf(modelId),
  requestedModelId: spellings.get(modelId) ?? spellings.get(modelIdOf(modelId)) ?? null
})

/** A scored candidate as the caller reads it, but for what explains it. */
const unexplained = (candidate: Scored, { spellings }: ExplanationQuery): RankedModel => ({
  ...namesOf(candidate, spellings),
  provider: candidate.card.provider,
  predictedSuccess: candidate.predictedSuccess,
  estCostUsd: candidate.cost.costUsd,
  marginalCostUsd: candidate.isPrepaid === true ? marginalUsd(candidate) : null,
  estCostLow: candidate.cost.lowUsd,
  estCostHigh: candidate.cost.highUsd,
  costBandBasis: candidate.cost.bandBasis,
  successIntervalWidth: Rounding.probability(candidate.successHigh - candidate.successLow),
  score: candidate.score,
  decisionBasis: candidate.decisionBasis,
  supportsPromptCaching: candidate.card.supportsPromptCaching,
  contextWindow: candidate.card.contextWindow,
  estLatencyMs: candidate.latencyMs?.p75 ?? null,
  latencyBasis: candidate.latencyMs === null ? "" : "observed_p75",
  estLatencyP50Ms: candidate.latencyMs?.p50 ?? null,
  estTimeToFirstTokenP50Ms: candidate.timeToFirstTokenMs?.p50 ?? null,
  estTimeToFirstTokenP75Ms: candidate.timeToFirstTokenMs?.p75 ?? null
})

/** How the scored candidates of an answer are shown to the caller. */
interface Shown {
  /** The pick, which is always explained. */
  readonly pick: RecommendedModel
  /** Any candidate as `detail` asks. */
  readonly of: (candidate: Scored) => RankedModel
}

/** The scored candidates of an answer as the caller reads them, each made once. */
export const shownModels = (
  settings: RankedModelRule,
  goal: Goal,
  optimized: Optimized,
  question: ExplanationQuery
): Shown => {
  const rationale = rationales(settings, goal, optimized)
  const explained = (candidate: Scored): RecommendedModel => ({
    ...unexplained(candidate, question),
    estCostBreakdown: candidate.cost.breakdown,
    rationale: rationale(candidate),
    evidence: question.explain ? evidenceOf(settings, candidate, question) : []
  })
  const pick = explained(optimized.pick)
  const made = new Map<Scored, RankedModel>([[optimized.pick, pick]])
  return {
    pick,
    of: (candidate) => {
      const known = made.get(candidate)
      if (known !== undefined) return known
      const model = question.detail === "full" ? explained(candidate) : unexplained(candidate, question)
      made.set(candidate, model)
      return model
    }
  }
}
