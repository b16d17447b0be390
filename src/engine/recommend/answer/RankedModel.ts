/** The answer's entry of one candidate, with its evidence and its rationale. */
import { modelIdOf, namedOf, nameOfKept } from "../../../domain/model/ModelVariant.ts"
import type { EvidenceRef } from "../../../domain/Evidence.ts"
import type { RankedModel } from "../../../domain/RankedModel.ts"
import type { AnswerDetail } from "../../../domain/Recommendation.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import { clusterParts, type TaskType } from "../../../domain/Task.ts"
import * as Weight from "../../../stats/WeightFactors.ts"
import type { Choice } from "../../policies/Policy.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Scored } from "../candidates/Candidate.ts"
import { rationales } from "./Rationale.ts"
import { seedOf, type SeedQuery, type SeedRule } from "./Seed.ts"

/** Settings of the evidence that an answer shows. */
type ShownEvidenceRule = SeedRule & Pick<EngineSettings, "evidencePerModel" | "decayHalfLifeDays">

/** The query for the explanation of a candidate. */
interface ExplanationQuery extends SeedQuery {
  /** True if the answer shows the evidence. */
  readonly explain: boolean
  /** The value `short` leaves only names, predictions and costs in the answer. */
  readonly detail: AnswerDetail
  /** The name with which the caller spelled each model, by the catalog's id. */
  readonly requestedNames: ReadonlyMap<string, string>
}

/**
 * Returns the recalled outcomes of the task's type, heaviest first, on which a prediction without neighbours
 * is based.
 */
const behindTally = (
  { decayFloor, decayHalfLifeDays }: ShownEvidenceRule,
  { cellWeight, neighbours: { all, rows } }: Scored,
  taskType: TaskType
): ReadonlyArray<number> => {
  const weightOf = (row: number): number => all.provenanceWeight(row) * all.currentShare(row)
    * Weight.decay(all.ageDays(row), decayHalfLifeDays, decayFloor)
  const isOfType = (row: number): boolean => {
    const cluster = all.clusterNumber(row)
    return cluster >= 0 && clusterParts[cluster]!.taskType === taskType
  }
  return cellWeight > 0 ? rows.filter(isOfType).sort((a, b) => weightOf(b) - weightOf(a)) : []
}

/**
 * Returns the outcomes with the most weight, heaviest first, then the seed (a benchmark result). Neighbours
 * without weight are left out if other neighbours have weight, because the prediction is not based on them.
 */
const evidenceOf = (
  settings: ShownEvidenceRule,
  candidate: Scored,
  query: ExplanationQuery
): ReadonlyArray<EvidenceRef> => {
  const { all, heavy, rows } = candidate.neighbours
  const model = namedOf(candidate.card.modelId)
  const weighed = heavy > 0 ? rows.slice(0, heavy) : behindTally(settings, candidate, query.taskType)
  const lived = weighed.slice(0, settings.evidencePerModel).map((row) => ({
    entryId: all.entryId(row),
    referenceId: all.entryId(row),
    ...model,
    score: Rounding.figure(all.similarity(row)),
    knowledgeConfidence: Rounding.probability(all.reliability(row)),
    observedSuccess: Rounding.probability(all.quality(row)),
    isStale: all.isStale(row)
  }))
  const seed = lived.length < settings.evidencePerModel ? seedOf(settings, candidate, query) : null
  return seed === null ? lived : [...lived, seed]
}

/** Returns the catalog's name of a candidate, and the caller's spelling of its model. */
export const namesOf = (
  { card: { modelId } }: Pick<Scored, "card">,
  requestedNames: ReadonlyMap<string, string>
) => ({
  ...nameOfKept(modelId),
  requestedModelId: requestedNames.get(modelId) ?? requestedNames.get(modelIdOf(modelId)) ?? null
})

/** Returns a candidate in the form of a short answer, which leaves out nulls and repetitions. */
const named = (candidate: Scored, { requestedNames }: ExplanationQuery): RankedModel => {
  const { modelId, requestedModelId } = namesOf(candidate, requestedNames)
  return {
    ...namedOf(candidate.card.modelId),
    ...(requestedModelId === null || requestedModelId === modelId ? {} : { requestedModelId }),
    provider: candidate.card.provider,
    predictedSuccess: candidate.predictedSuccess,
    estCostUsd: candidate.cost.costUsd
  }
}

/** Makes the answer's entry of a candidate. A second call for the same candidate returns the same entry. */
export const shownModels = (
  settings: ShownEvidenceRule,
  choice: Choice,
  question: ExplanationQuery
): (candidate: Scored) => RankedModel => {
  const { detail, explain, requestedNames } = question
  const rationale = rationales(choice)
  const explained = (candidate: Scored): RankedModel => ({
    ...namesOf(candidate, requestedNames),
    provider: candidate.card.provider,
    predictedSuccess: candidate.predictedSuccess,
    estCostUsd: candidate.cost.costUsd,
    estCostBreakdown: candidate.cost.breakdown,
    estCostLow: candidate.cost.lowUsd,
    estCostHigh: candidate.cost.highUsd,
    costBandBasis: candidate.cost.bandBasis,
    successIntervalWidth: Rounding.probability(candidate.successHigh - candidate.successLow),
    score: candidate.score,
    rationale: rationale(candidate),
    decisionBasis: candidate.decisionBasis,
    evidence: explain ? evidenceOf(settings, candidate, question) : [],
    supportsPromptCaching: candidate.card.supportsPromptCaching,
    contextWindow: candidate.card.contextWindow,
    estLatencyMs: candidate.latencyMs?.p75 ?? null,
    latencyBasis: candidate.latencyMs === null ? "" : "observed_p75",
    estLatencyP50Ms: candidate.latencyMs?.p50 ?? null,
    estTimeToFirstTokenP50Ms: candidate.timeToFirstTokenMs?.p50 ?? null,
    estTimeToFirstTokenP75Ms: candidate.timeToFirstTokenMs?.p75 ?? null
  })
  const made = new Map<Scored, RankedModel>()
  return (candidate) => {
    const known = made.get(candidate)
    if (known !== undefined) return known
    const model = detail === "full" ? explained(candidate)
      : candidate === choice.pick ? { ...named(candidate, question), rationale: rationale(candidate) }
      : named(candidate, question)
    made.set(candidate, model)
    return model
  }
}
