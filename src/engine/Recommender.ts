import { Context, type Effect } from "effect"
import type { RecommendRequest, RecommendResponse } from "../domain/Recommendation.ts"
import type { Caller } from "../domain/Scope.ts"
import type { WorkflowRequest, WorkflowResponse } from "../domain/Workflow.ts"
import type { NoCandidateModels } from "./recommend/NoCandidateModels.ts"

/** Conductor of `recommend/`: which model should run this task? */
export class Recommender extends Context.Service<Recommender, {
  readonly recommend: (
    caller: Caller,
    request: RecommendRequest
  ) => Effect.Effect<RecommendResponse, NoCandidateModels>
  readonly recommendWorkflow: (
    caller: Caller,
    request: WorkflowRequest
  ) => Effect.Effect<WorkflowResponse, NoCandidateModels>
}>()("sextant/engine/Recommender") {}
