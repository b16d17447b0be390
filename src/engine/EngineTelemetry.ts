/** Spans and metrics of the pipelines. Telemetry never changes an answer. */
import type { Effect } from "effect"
import type { Decision } from "../domain/Decision.ts"
import { variantName } from "../domain/model/ModelVariant.ts"
import { type FeedbackRequest, successOf } from "../domain/feedback/Feedback.ts"
import type { RecommendResponse } from "../domain/Recommendation.ts"
import type { ReportResult } from "../ledger/ReportSubmission.ts"
import { type Add, measure, meters } from "../telemetry/Metrics.ts"
import { attribute, kindOf } from "../telemetry/SemanticConventions.ts"
import { annotate } from "../telemetry/Spans.ts"
import type { Verdict } from "./learn/Verdict.ts"

/** Only shadow decisions carry the shadow attribute. */
const inShadow = ({ isShadow }: Decision) => isShadow ? { [attribute.shadow]: "true" } : {}

const addWarnings = (add: Add, endpoint: "feedback" | "recommend", warnings: ReadonlyArray<string>) => {
  for (const warning of warnings) {
    add(meters.warnings({ [attribute.warning]: kindOf(warning), [attribute.endpoint]: endpoint }), 1)
  }
}

export const annotateDecision = (decision: Decision): Effect.Effect<void> =>
  annotate(() => ({
    [attribute.recommendationId]: decision.recommendationId,
    ...(decision.workflowId === null ? {} : { [attribute.workflowId]: decision.workflowId }),
    [attribute.basis]: decision.decisionBasis,
    [attribute.tau]: decision.threshold,
    [attribute.candidates]: decision.candidates.length,
    [attribute.model]: variantName(decision.recommendedModelId),
    [attribute.predictedSuccess]: decision.predictedSuccess,
    [attribute.policy]: decision.selectionPolicy,
    ...inShadow(decision),
    [attribute.taskType]: decision.taskType,
    [attribute.difficulty]: decision.difficulty,
    [attribute.warnings]: [...decision.warnings]
  }))

/** Shadow decisions add no model costs, because savings are computed from the costs of models that ran. */
export const measureDecisions = (
  decisions: ReadonlyArray<Decision>,
  responses: ReadonlyArray<Pick<RecommendResponse, "warnings">>
): Effect.Effect<void> =>
  measure((add) => {
    for (const decision of decisions) {
      const basis = { [attribute.basis]: decision.decisionBasis }
      add(meters.decisions({ ...basis, [attribute.taskType]: decision.taskType, ...inShadow(decision) }), 1)
      if (!decision.isShadow) {
        add(meters.costEstimated(basis), decision.costRecommendedUsd)
        add(meters.costPremium(basis), decision.costPremiumUsd)
      }
      if (decision.reasonerCostUsd !== null) add(meters.costReasoner({}), decision.reasonerCostUsd)
    }
    addWarnings(add, "recommend", responses.flatMap(({ warnings }) => warnings))
  })

export const measureFeedback = (
  decision: Decision,
  request: FeedbackRequest,
  verdict: Verdict,
  { reception, response }: Pick<ReportResult, "reception" | "response">
): Effect.Effect<void> =>
  measure((add) => {
    add(meters.feedback({
      [attribute.claim]: reception,
      [attribute.provenance]: verdict.provenance,
      [attribute.outcome]: request.outcome
    }), 1)
    addWarnings(add, "feedback", response.warnings)
    // A label that replaces another or loses to it is not counted, because meters cannot be decreased.
    const isFurther = response.warnings.some((warning) =>
      warning === "outcome_replaced" || warning === "outcome_outranked")
    if (reception !== "first" || isFurther) return
    const ran = decision.candidates.find(({ modelId }) => modelId === request.chosenModelId)
    if (ran === undefined) return
    if (verdict.teaches) {
      const basis = { [attribute.basis]: decision.decisionBasis }
      add(meters.trials(basis), 1)
      add(meters.predicted(basis), ran.predictedSuccess)
      add(meters.realized(basis), successOf[request.outcome])
    }
    if (request.actualCostUsd === null || decision.isShadow) return
    add(meters.costRealized({}), request.actualCostUsd)
    add(meters.costBilledEstimate({}), ran.estCostUsd)
    add(meters.costBilledPremium({}), decision.costPremiumUsd)
  })

export const measureUnknown: Effect.Effect<void> =
  measure((add) => addWarnings(add, "feedback", ["unknown_recommendation"]))
