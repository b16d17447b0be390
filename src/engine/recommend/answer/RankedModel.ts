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

type ShownEvidenceRule = SeedRule & Pick<EngineSettings, "evidencePerModel" | "decayHalfLifeDays">

interface ExplanationQuery extends SeedQuery {
  readonly explain: boolean
  /** `short` shows only name, provider, prediction and cost of each model, and the pick's rationale. */
  readonly detail: AnswerDetail
  /** The names by which the caller calls models; the keys are the catalog's ids. */
  readonly requestedNames: ReadonlyMap<string, string>
}

/** A model's recalled outcomes of the task's type, heaviest first; none if the type's outcomes weigh 0. */
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
 * Returns the similar outcomes with most weight in the prediction or, if none has weight, outcomes of the
 * task's type. If there are fewer than `evidencePerModel` outcomes, a benchmark result may be added.
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

export const namesOf = (
  { card: { modelId } }: Pick<Scored, "card">,
  requestedNames: ReadonlyMap<string, string>
) => ({
  ...nameOfKept(modelId),
  requestedModelId: requestedNames.get(modelId) ?? requestedNames.get(modelIdOf(modelId)) ?? null
})

/** A short answer leaves out nulls and repetitions. */
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
