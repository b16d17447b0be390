/** `POST /v1/recommend` and `POST /v1/recommend/workflow`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RecommendRequest, RecommendResponse } from "../domain/Recommendation.ts"
import { WorkflowRequest, WorkflowResponse } from "../domain/Workflow.ts"
import { Authorization } from "./Authorization.ts"
import { documented } from "./Docs.ts"
import { BudgetExhausted, NoCandidateModels, PayloadTooLarge, UnsupportedMediaType } from "./Problems.ts"

const error = [NoCandidateModels, BudgetExhausted, PayloadTooLarge, UnsupportedMediaType] as const

const recommend = HttpApiEndpoint.post("recommend", "/recommend", {
  payload: RecommendRequest,
  success: RecommendResponse,
  error
}).annotateMerge(documented({
  summary: "Recommend a model for one task",
  right: "use",
  description: [
    "Names the catalog model that should run the task, with reasons and its expected cost. Run the model",
    "yourself, then report the outcome to `POST /v1/feedback` with the answer's `recommendation_id`.",
    "",
    "`cost_quality_tradeoff` sets the success threshold: 0.55 at 0, and 0.92 at 10. The pick is the cheapest",
    "candidate that is predicted to reach the threshold, or else the likeliest to succeed. If you know the",
    "value of a right result, send `success_value_usd` instead. The pick then has the highest value times",
    "success, less cost, among candidates that reach `min_quality`.",
    "",
    "An unavailable dependency adds a code to `warnings` and is not an error. 422 means that no model is",
    "left.",
    "",
    "429 of the type `budget_exhausted` means that too little is left of the account's hard budget.",
    "`Retry-After` is the time to the period's end. Do not run a default model then.",
    "",
    "If you check results, send the kind of check (`verification`) and the value of a right result",
    "(`success_value_usd`): `plan` is the best order of attempts. After a failure, ask again with",
    "`attempts`.",
    "",
    "With `shadow` you run your own default, whatever the answer is. No report counts a saving, but the",
    "outcome of the model that ran teaches."
  ].join("\n"),
  example: {
    task: { task: "Write a function that merges two sorted lists", tags: ["lang:python"] },
    cost_quality_tradeoff: 5,
    constraints: { max_cost_per_call: 0.05 },
    namespace: "checkout"
  }
}))

const workflow = HttpApiEndpoint.post("recommendWorkflow", "/recommend/workflow", {
  payload: WorkflowRequest,
  success: WorkflowResponse,
  error
}).annotateMerge(documented({
  summary: "Recommend a model for each step of a workflow",
  right: "use",
  description: [
    "Every step is scored separately and gets its own `recommendation_id`. The `constraints` of a step",
    "override those of the workflow. 422 names a step that no model can run. 429 of the type",
    "`budget_exhausted` means that the hard budget does not cover all steps."
  ].join("\n"),
  example: {
    steps: [
      {
        step_id: "plan", task: { task: "Plan the migration", task_type: "reasoning", difficulty: "hard" },
        inferred_requirements: { structured_output: true }, success_value_usd: 2
      },
      {
        step_id: "write", task: { task: "Write the migration", task_type: "code", unit: "run" },
        depends_on: ["plan"], task_id: "migration-3", constraints: { require_tools: true },
        verification: { kind: "gate" }, success_value_usd: 5, max_attempts: 2, max_total_cost_usd: 4,
        attempts: [{ model_id: "gpt-5.4-mini", outcome: "failure", evidence_source: "gate" }]
      }
    ],
    cost_quality_tradeoff: 6
  }
}))

export class RecommendApi extends HttpApiGroup.make("recommend")
  .add(recommend, workflow)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Recommend",
    description: "Which model should run a task"
  }))
{}
