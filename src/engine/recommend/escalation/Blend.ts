/** Blends a reasoner's opinions into the predictions. */
import * as Rounding from "../../../domain/Rounding.ts"
import type { Opinion } from "../../../reasoner/Reasoner.ts"
import * as Beta from "../../../stats/Beta.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { CostedCandidate, CostedCandidates } from "../candidates/Candidate.ts"

type BlendRule = Pick<EngineSettings, "reasonerBlendFactor" | "reasonerBlendMin" | "reasonerBlendMax">

const blended = (
  settings: BlendRule,
  candidate: CostedCandidate,
  opinion: number | undefined
): CostedCandidate => {
  if (opinion === undefined) return candidate
  const share = Math.min(
    settings.reasonerBlendMax,
    Math.max(settings.reasonerBlendMin, settings.reasonerBlendFactor * (1 - candidate.confidence))
  )
  const moved = (prediction: number) => Rounding.probability((1 - share) * prediction + share * opinion)
  const predictedSuccess = moved(candidate.predictedSuccess)
  if (predictedSuccess === candidate.predictedSuccess) return candidate
  const { high, low } = Beta.interval95(Beta.ofMean(predictedSuccess, candidate.sampleSize))
  return {
    ...candidate,
    predictedSuccess,
    // An opinion that lowers the prediction lowers the optimistic prediction as well.
    optimisticSuccess: moved(candidate.optimisticSuccess),
    highPriorSuccess: moved(candidate.highPriorSuccess),
    successLow: low,
    successHigh: high,
    decisionBasis: "llm" as const
  }
}

/**
 * An opinion counts more if its candidate has little evidence. Opinions on models that are no candidates are
 * dropped, so that a reasoner cannot break a constraint.
 */
export const blend = (
  settings: BlendRule,
  [first, ...rest]: CostedCandidates,
  opinions: ReadonlyArray<Opinion>
): CostedCandidates => {
  const byModel = new Map(opinions.map((opinion) => [opinion.modelId, opinion.predictedSuccess]))
  const withOpinion = (candidate: CostedCandidate) =>
    blended(settings, candidate, byModel.get(candidate.card.modelId))
  return [withOpinion(first), ...rest.map(withOpinion)]
}
