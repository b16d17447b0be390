/** Stage: splits a workflow into its steps, runs several steps at the same time, and joins the answers. */
import { type Array as Arr, Effect } from "effect"
import { merge } from "../../domain/Constraints.ts"
import { RecommendRequest, type RecommendResponse } from "../../domain/Recommendation.ts"
import * as Rounding from "../../domain/Rounding.ts"
import type { WorkflowRequest, WorkflowResponse } from "../../domain/Workflow.ts"
import type { BudgetExhausted } from "../../ledger/Ledger.ts"
import { ownTurn, PartTurns } from "../../resilience/CooperativeYield.ts"
import type { NoCandidateModels } from "../NoCandidateModels.ts"
import { Settings } from "../Settings.ts"

/** The constraints of the workflow and of the step both apply. */
const stepRequest = (
  { steps: _steps, ...shared }: WorkflowRequest,
  { dependsOn: _dependsOn, stepId: _stepId, ...own }: WorkflowRequest["steps"][number]
): RecommendRequest =>
  RecommendRequest.make({ ...shared, ...own, constraints: merge(shared.constraints, own.constraints) })

export const inSteps = Effect.fnUntraced(function*<A, R>(
  request: WorkflowRequest,
  run: (step: RecommendRequest) => Effect.Effect<A, BudgetExhausted | NoCandidateModels, R>
) {
  const inTurn = yield* yield* PartTurns
  const { workflowConcurrency } = yield* Settings
  const answers = yield* Effect.forEach(request.steps, (step) =>
    inTurn(run(stepRequest(request, step))).pipe(
      Effect.catchTag("NoCandidateModels", (failure) => failure.ofStep(step.stepId))
    ), { concurrency: workflowConcurrency })
  yield* ownTurn
  // The schema of a workflow asks for at least one step.
  return answers as unknown as Arr.NonEmptyReadonlyArray<A>
})

/** @param premiumUsd for each step, the cost of its most expensive candidate, USD */
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
