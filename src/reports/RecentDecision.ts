/* A decision in the dashboard's list, with a sentence that explains the recommendation. */
import { baselineNameOf, namedOf, pickNameOf, variantName, writtenOf } from "../domain/model/ModelVariant.ts"
import type { RecentDecision, RunnerUp } from "../domain/reports/Dashboard.ts"
import type { DecisionCandidate, LedgerRow } from "../domain/Decision.ts"
import type { DecisionBasis } from "../domain/RankedModel.ts"
import { costSourceOf } from "../domain/feedback/FeedbackPrecedence.ts"
import { counted, decimal, dollars, percent, percentBeside } from "../domain/text/Words.ts"

type Decided = Omit<LedgerRow["decision"], "cluster" | "lane">
type CandidatesOf = Pick<Decided, "candidates" | "recommendedModelId" | "successValueUsd">

const basisWords: { readonly [B in DecisionBasis]: string } = {
  memory: "past outcomes",
  prior: "priors alone",
  llm: "the reasoner"
}

/**
 * Returns the cheapest eligible candidate besides the recommended model, or that worth most if a success has
 * a value. If no candidate besides the recommended model is eligible, returns the likeliest of them.
 */
export const runnerUpOf = (
  { candidates, recommendedModelId, successValueUsd }: CandidatesOf
): RunnerUp | null => {
  const priceOf = ({ estCostUsd, predictedSuccess }: DecisionCandidate): number =>
    estCostUsd - (successValueUsd ?? 0) * predictedSuccess
  const others = candidates.filter(({ modelId }) => modelId !== recommendedModelId)
  const better = (one: DecisionCandidate, other: DecisionCandidate): DecisionCandidate => {
    if (one.isEligible !== other.isEligible) return one.isEligible ? one : other
    if (one.isEligible) return priceOf(other) < priceOf(one) ? other : one
    return other.predictedSuccess > one.predictedSuccess ? other : one
  }
  const [first, ...rest] = others
  if (first === undefined) return null
  const { estCostUsd, modelId, predictedSuccess } = rest.reduce(better, first)
  return { ...namedOf(modelId), predictedSuccess, estCostUsd }
}

const guaranteedMerit = (
  { guaranteeBaselineId: baselineId, isExploration, recommendedModelId }: Decided
): string | null => {
  if (baselineId === null) return null
  const role = recommendedModelId === baselineId ? "the baseline" : "a candidate"
  if (isExploration) return `${role}, drawn as a trial of the guarantee against ${variantName(baselineId)}`
  return recommendedModelId === baselineId
    ? "the baseline of the guarantee"
    : `held by the guarantee against ${variantName(baselineId)}`
}

const merit = (
  { candidates, costRecommendedUsd, isExploration, successValueUsd, threshold }: Decided
): string => {
  const eligible = candidates.filter(({ isEligible }) => isEligible)
  const bar = `the threshold ${decimal(threshold)}`
  const all = counted(candidates.length, "candidate")
  if (isExploration) return `drawn to explore, from the ${eligible.length} of ${all} that reach ${bar}`
  if (candidates.length <= 1) return "the only candidate"
  if (eligible.length === 0) return `chosen from ${all}, none of which reaches ${bar} within the constraints`
  if (eligible.length === 1) return `the only one of ${all} that reaches ${bar}`
  if (successValueUsd !== null) {
    return `chosen from ${eligible.length} for what it is worth at ${dollars(successValueUsd)} a success`
  }
  const isCheapest = eligible.every(({ estCostUsd }) => costRecommendedUsd <= estCostUsd)
  return `${isCheapest ? "the cheapest" : "chosen"} of the ${eligible.length} that reach ${bar}`
}

/** Returns a sentence that explains the recommendation. */
export const rationaleOf = (decision: Decided, runnerUp: RunnerUp | null): string => {
  const { costRecommendedUsd, decisionBasis, predictedSuccess, threshold } = decision
  const guaranteed = guaranteedMerit(decision)
  // Under a guarantee, evidence chooses the next model, so naming the runner-up by predictions would mislead.
  const next = runnerUp === null || guaranteed !== null
    ? ""
    : `; next ${writtenOf(runnerUp)}, ${percent(runnerUp.predictedSuccess)} at`
      + ` ${dollars(runnerUp.estCostUsd)}`
  return `${percentBeside(predictedSuccess, threshold)} likely going by ${basisWords[decisionBasis]}, at`
    + ` ${dollars(costRecommendedUsd)} ${guaranteed ?? merit(decision)}${next}.`
}

export const recentDecision = ({ decision, feedback }: LedgerRow): RecentDecision => {
  const runnerUp = runnerUpOf(decision)
  return {
    recommendationId: decision.recommendationId,
    createdAt: decision.createdAt.toISOString(),
    lane: decision.lane,
    cluster: decision.cluster,
    ...pickNameOf(decision.recommendedModelId),
    predictedSuccess: decision.predictedSuccess,
    threshold: decision.threshold,
    estCostUsd: decision.costRecommendedUsd,
    costPremiumUsd: decision.costPremiumUsd,
    ...baselineNameOf(decision.baselineModelId),
    costDeclaredUsd: decision.costDeclaredUsd,
    runnerUp,
    decisionBasis: decision.decisionBasis,
    shadow: decision.isShadow,
    warnings: decision.warnings,
    rationale: rationaleOf(decision, runnerUp),
    outcome: feedback === null ? null : {
      feedbackAt: feedback.feedbackAt.toISOString(),
      ...namedOf(feedback.chosenModelId),
      outcome: feedback.outcome,
      quality: feedback.quality,
      provenance: feedback.provenance,
      teaches: feedback.teaches,
      actualCostUsd: feedback.actualCostUsd,
      costSource: costSourceOf(feedback),
      computedCostUsd: feedback.actualCostUsd === null ? feedback.computedCostUsd : null
    }
  }
}
