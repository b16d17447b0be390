/* The report on one decision: candidates, outcomes, and the nearest change of the recommended model. */
import { baselineNameOf, namedOf, pickNameOf } from "../domain/model/ModelVariant.ts"
import type { Decision, DecisionCandidate } from "../domain/Decision.ts"
import type { DecisionReport } from "../domain/reports/DecisionReport.ts"
import { costSourceOf, type ReportedOutcome } from "../domain/feedback/FeedbackPrecedence.ts"
import { thresholdMax, thresholdMin } from "../domain/SliderThreshold.ts"
import { type FlipRule, nearestFlip, tauScale, valueBars, valueScale } from "../stats/NearestFlip.ts"
import { costTieUsd } from "../stats/PolicyRules.ts"
import { rationaleOf, runnerUpOf } from "./RecentDecision.ts"

type KeptCandidate = DecisionReport["candidates"][number]
type CandidateFate = KeptCandidate["standing"]

const fateOf = (
  { recommendedModelId, threshold }: Decision,
  { isEligible, modelId, predictedSuccess }: DecisionCandidate
): CandidateFate =>
  modelId === recommendedModelId
    ? "recommended"
    : isEligible
    ? "eligible"
    : predictedSuccess < threshold
    ? "below_threshold"
    : "excluded"

/** Among candidates within `costTieUsd`, the likeliest to succeed wins. */
const lowest = (
  candidates: ReadonlyArray<DecisionCandidate>,
  of: (candidate: DecisionCandidate) => number
): DecisionCandidate | undefined => {
  const [first, ...rest] = candidates
  return first && rest.reduce((one, other) => {
    const lead = of(one) - of(other)
    if (Math.abs(lead) > costTieUsd) return lead < 0 ? one : other
    return other.predictedSuccess > one.predictedSuccess ? other : one
  }, first)
}

/**
 * Returns the rule by which a decision picks among the candidates that reach the threshold. The rule picks
 * the cheapest candidate, or the candidate that is worth most if a success has a value. If no candidate
 * reaches the threshold, the rule picks the candidate that is likeliest to succeed.
 */
const ruleOf = (
  { successValueUsd, threshold }: Decision,
  candidates: ReadonlyArray<DecisionCandidate>
): FlipRule => {
  const highest = candidates.reduce((most, each) => Math.max(most, each.predictedSuccess), 0)
  const reaching = (bar: number) =>
    candidates.filter(({ predictedSuccess }) => predictedSuccess >= Math.min(bar, highest))
  return successValueUsd === null
    ? {
      scale: tauScale({ thresholdMin, thresholdMax }),
      bars: candidates.map(({ predictedSuccess }) => predictedSuccess).filter((success) => success < highest),
      modelIdAt: (tau) => lowest(reaching(tau), ({ estCostUsd }) => estCostUsd)?.modelId
    }
    : {
      scale: valueScale,
      bars: valueBars(
        candidates.map((each) => ({ success: each.predictedSuccess, usd: each.estCostUsd })), costTieUsd
      ),
      modelIdAt: (valueUsd) =>
        lowest(reaching(threshold), (each) => each.estCostUsd - valueUsd * each.predictedSuccess)?.modelId
    }
}

/**
 * Returns the nearest threshold (or value of a success) at which the rule picks another model. Returns null
 * if no setting with another pick is found, or if the recommendation did not follow the usual rule.
 */
const flipOf = (decision: Decision): DecisionReport["flip"] => {
  const { recommendedModelId, successValueUsd, threshold } = decision
  // An excluded candidate was not eligible although it reached the threshold, so no threshold chooses it.
  const possible = decision.candidates.filter((each) => fateOf(decision, each) !== "excluded")
  const rule = ruleOf(decision, possible)
  const isRuled = !decision.isExploration && decision.guaranteeBaselineId === null
  const setting = successValueUsd ?? threshold
  if (!isRuled || rule.modelIdAt(setting) !== recommendedModelId) return null
  const flip = nearestFlip(rule, setting)
  if (flip === null) return null
  const isCertain = possible.some(({ isEligible, modelId }) => modelId === flip.modelId && isEligible)
  return {
    ...namedOf(flip.modelId),
    side: flip.side,
    threshold: successValueUsd === null ? flip.at : null,
    successValueUsd: successValueUsd === null ? null : flip.at,
    isCertain
  }
}

const keptOutcome = (
  { billed, label, modelId, signals }: ReportedOutcome
): DecisionReport["outcomes"][number] => ({
  ...namedOf(modelId),
  feedbackAt: label.feedbackAt.toISOString(),
  outcome: label.outcome,
  quality: label.quality,
  provenance: label.provenance,
  errorCause: label.errorCause,
  teaches: label.teaches,
  actualCostUsd: billed.actualCostUsd,
  costSource: costSourceOf(billed),
  computedCostUsd: billed.actualCostUsd === null ? billed.computedCostUsd : null,
  latencyMs: billed.latencyMs,
  ...(signals === undefined ? {} : { signals })
})

const rank: { readonly [S in CandidateFate]: number } = {
  recommended: 0, eligible: 1, excluded: 2, below_threshold: 2
}

const candidatesOf = (decision: Decision): ReadonlyArray<KeptCandidate> => {
  const weight = decision.neighbours.reduce((sum, each) => sum + each.weight, 0)
  const kept = decision.candidates.map((candidate): KeptCandidate => {
    const { estCostUsd, modelId, predictedSuccess } = candidate
    const forecast = decision.forecasts.find((each) => each.modelId === modelId)
    const own = decision.neighbours.filter((each) => each.modelId === modelId)
    return {
      ...namedOf(modelId),
      standing: fateOf(decision, candidate),
      predictedSuccess,
      estCostUsd,
      forecast: forecast === undefined
        ? null
        : { base: forecast.base, cells: forecast.cells, local: forecast.local, mixed: forecast.mixed },
      nNeighbours: own.length,
      neighbourWeight: weight > 0 ? own.reduce((sum, each) => sum + each.weight, 0) / weight : null
    }
  })
  return kept.toSorted((one, other) =>
    rank[one.standing] - rank[other.standing] || other.predictedSuccess - one.predictedSuccess)
}

const taskKept = ({ taskExcerpt, taskVectors }: Decision): DecisionReport["taskKept"] =>
  taskExcerpt !== "" ? "excerpt" : taskVectors === undefined ? "nothing" : "vectors"

export const decisionReport = (
  decision: Decision,
  outcomes: ReadonlyArray<ReportedOutcome>
): DecisionReport => ({
  recommendationId: decision.recommendationId,
  createdAt: decision.createdAt.toISOString(),
  lane: decision.lane,
  cluster: decision.cluster,
  tags: decision.tags,
  taskKept: taskKept(decision),
  ...pickNameOf(decision.recommendedModelId),
  threshold: decision.threshold,
  successValueUsd: decision.successValueUsd,
  decisionBasis: decision.decisionBasis,
  selectionPolicy: decision.selectionPolicy,
  propensity: decision.propensity,
  exploration: decision.isExploration,
  escalated: decision.isEscalated,
  shadow: decision.isShadow,
  costPremiumUsd: decision.costPremiumUsd,
  ...baselineNameOf(decision.baselineModelId),
  costDeclaredUsd: decision.costDeclaredUsd,
  rationale: rationaleOf(decision, runnerUpOf(decision)),
  warnings: decision.warnings,
  candidates: candidatesOf(decision),
  flip: flipOf(decision),
  nNeighbours: decision.neighbours.length,
  catalogVersion: decision.catalogVersion,
  latencyMs: decision.latencyMs,
  reasonerCostUsd: decision.reasonerCostUsd,
  outcomes: outcomes.map(keptOutcome)
})
