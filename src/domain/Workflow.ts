/** The request and the answer for a workflow of several steps. */
import { Schema } from "effect"
import { Constraints, StepConstraints } from "./Constraints.ts"
import { attemptFields, inferredField, RecommendResponse, sharedFields } from "./Recommendation.ts"
import { SentId } from "./RecommendationId.ts"
import { TaskInput } from "./Task.ts"
import { listOf } from "./text/Lists.ts"
import { Identifier } from "./text/Text.ts"
import { Probability, Usd } from "./Units.ts"
import { RecommendWarnings } from "./Warning.ts"
import { defaulted, described, nullable, wire } from "./wire/Wire.ts"

const workflowStepsMax = 100

const WorkflowStep = wire({
  stepId: described(Identifier, "Your name of the step, which the answer repeats."),
  task: described(TaskInput, "The task of the step."),
  constraints: described(
    nullable(StepConstraints), "Constraints of the step, which override the workflow's."
  ),
  dependsOn: described(
    defaulted(listOf(Identifier, { max: workflowStepsMax }), []),
    "Steps that come before. The list of preceding steps is for information only, because each step is "
      + "scored independently."
  ),
  ...inferredField,
  ...attemptFields
}, { identifier: "WorkflowStep", description: "One step of a workflow." })
type WorkflowStep = typeof WorkflowStep.Type

export const WorkflowRequest = wire({
  steps: described(listOf(WorkflowStep, { min: 1, max: workflowStepsMax }), "The steps, in their order."),
  constraints: described(defaulted(Constraints, {}), "Limits for every step. A step's constraints may "
    + "override these limits."),
  ...sharedFields
}, { identifier: "WorkflowRequest", description: "A workflow of several tasks." })
export type WorkflowRequest = typeof WorkflowRequest.Type

const StepRecommendation = wire({
  stepId: described(Schema.String, "The step's name, as sent."),
  recommendation: described(RecommendResponse, "The recommendation for the step.")
}, { identifier: "StepRecommendation", description: "The recommendation for one step of a workflow." })

export const WorkflowResponse = wire({
  workflowRecommendationId: described(SentId, "Id of the workflow. Outcomes are reported per step."),
  steps: described(Schema.Array(StepRecommendation), "A recommendation for each step, in the order sent."),
  totalEstCostUsd: described(Usd, "Sum of the recommended models' estimated costs, in US dollars."),
  totalEstCostIfAllPremium: described(
    Usd, "Sum of the most expensive candidates' estimated costs, in US dollars."
  ),
  confidence: described(Probability, "Mean of the steps' confidences."),
  warnings: described(
    Schema.optionalKey(RecommendWarnings),
    "Warnings about the whole request. Warnings about a step are in its recommendation."
  )
}, { identifier: "WorkflowResponse", description: "A model for each step, and their total cost." })
export type WorkflowResponse = typeof WorkflowResponse.Type
