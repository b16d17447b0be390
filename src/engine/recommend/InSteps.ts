/** Stage: recommends for the steps of a workflow at the same time. */
import { type Array as Arr, Effect } from "effect"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { WorkflowRequest } from "../../domain/Workflow.ts"
import type { BudgetExhausted } from "../../ledger/Ledger.ts"
import { ownTurn, PartTurns } from "../../resilience/CooperativeYield.ts"
import type { NoCandidateModels } from "../NoCandidateModels.ts"
import { Settings } from "../Settings.ts"
import { stepRequest } from "./answer/Workflow.ts"

/**
 * Runs each step's request in its own turn. A step without a model fails the workflow, which names the step.
 */
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
  // The schema asks for at least one step.
  return answers as unknown as Arr.NonEmptyReadonlyArray<A>
})
