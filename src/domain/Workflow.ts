/* The request and the answer for a workflow of several steps. */
import { Schema } from "effect"
import { Constraints, StepConstraints } from "./Constraints.ts"
import { RecommendResponse } from "./Recommendation.ts"
import { Namespace } from "./Scope.ts"
import { TaskInput } from "./Task.ts"
import { listOf } from "./text/Lists.ts"
import { Identifier } from "./text/Text.ts"
import { Probability, Slider, Usd } from "./Units.ts"
import { defaulted, nullable, wire } from "./Wire.ts"

/** Most steps one workflow may hold; keeps one call's work bounded. */
const workflowStepsMax = 100

const WorkflowStep = wire({
  stepId: Identifier,
  task: TaskInput,
  constraints: nullable(StepConstraints),
  /** Informational only: steps are scored independently. */
  dependsOn: defaulted(listOf(Identifier, { max: workflowStepsMax }), [])
}).annotate({ identifier: "WorkflowStep" })
type WorkflowStep = typeof WorkflowStep.Type

export const WorkflowRequest = wire({
  steps: listOf(WorkflowStep, { min: 1, max: workflowStepsMax }),
  costQualityTradeoff: defaulted(Slider, 5),
  constraints: defaulted(Constraints, {}),
  userId: nullable(Identifier),
  namespace: nullable(Namespace),
  allowLlmEscalation: defaulted(Schema.Boolean, true)
}).annotate({ identifier: "WorkflowRequest" })
export type WorkflowRequest = typeof WorkflowRequest.Type

const StepRecommendation = wire({
  stepId: Schema.String,
  recommendation: RecommendResponse
}).annotate({ identifier: "StepRecommendation" })

export const WorkflowResponse = wire({
  workflowRecommendationId: Schema.String,
  steps: Schema.Array(StepRecommendation),
  totalEstCostUsd: Usd,
  totalEstCostIfAllPremium: Usd,
  confidence: Probability
}).annotate({ identifier: "WorkflowResponse" })
export type WorkflowResponse = typeof WorkflowResponse.Type
