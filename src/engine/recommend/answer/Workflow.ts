/** Splits a workflow into the requests of its steps, and joins their answers. */
import { merge } from "../../../domain/Constraints.ts"
import { RecommendRequest, type RecommendResponse } from "../../../domain/Recommendation.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import type { WorkflowRequest, WorkflowResponse } from "../../../domain/Workflow.ts"

/** The request of one step. The constraints of the workflow and of the step both apply. */
export const stepRequest = (
  { steps: _steps, ...shared }: WorkflowRequest,
  { dependsOn: _dependsOn, stepId: _stepId, ...own }: WorkflowRequest["steps"][number]
): RecommendRequest =>
  RecommendRequest.make({ ...shared, ...own, constraints: merge(shared.constraints, own.constraints) })

/**
 * The answer to a workflow, from the answers to its steps in their order.
 *
 * @param premiumUsd cost of the dearest candidate of each step, USD
 */
export const workflowResponse = (
  workflowRecommendationId: WorkflowResponse["workflowRecommendationId"],
  { steps }: Pick<WorkflowRequest, "steps">,
  responses: ReadonlyArray<RecommendResponse>,
  premiumUsd: ReadonlyArray<number>
): WorkflowResponse => {
  const total = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0)
  return {
    workflowRecommendationId,
    steps: responses.map((recommendation, i) => ({ stepId: steps[i]?.stepId ?? "", recommendation })),
    totalEstCostUsd: Rounding.usd(
      total(responses.map(({ recommendedModel }) => recommendedModel.estCostUsd))
    ),
    totalEstCostIfAllPremium: Rounding.usd(total(premiumUsd)),
    warnings: [],
    confidence: Rounding.probability(total(responses.map(({ confidence }) => confidence)) / responses.length)
  }
}
