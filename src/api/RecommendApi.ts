/* `POST /v1/recommend` and `POST /v1/recommend/workflow`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RecommendRequest, RecommendResponse } from "../domain/Recommendation.ts"
import { WorkflowRequest, WorkflowResponse } from "../domain/Workflow.ts"
import { Authorization } from "./Authorization.ts"
import { documented } from "./Docs.ts"
import { BudgetExhausted, NoCandidateModels, PayloadTooLarge, UnsupportedMediaType } from "./Problems.ts"

/** The errors of both endpoints, beside those of authorization. */
const error = [NoCandidateModels, BudgetExhausted, PayloadTooLarge, UnsupportedMediaType] as const

const recommend = HttpApiEndpoint.post("recommend", "/recommend", {
  payload: RecommendRequest,
  success: RecommendResponse,
  error
}).annotateMerge(documented({
  summary: "Recommend a model for one task",
  right: "use",
  description: [
    "Answers which catalog model should run the task, why, and what it should cost. Run the model yourself,",
    "then report the outcome to `POST /v1/feedback` with the `recommendation_id` of this answer.",
    "",
    "`cost_quality_tradeoff` sets the success threshold: 0 is the cheapest acceptable model, 10 the best at",
    "any cost. The cheapest candidate that is predicted to reach the threshold is recommended. Where you",
    "know what a right result is worth, send `success_value_usd` instead: the candidate is recommended that",
    "is worth most, at that times its success less its cost, among those that reach `min_quality`.",
    "",
    "A dependency that is unavailable adds a code to `warnings`, and is not an error. 422 means that the",
    "constraints leave no model.",
    "",
    "429 of the type `budget_exhausted` means that the account has a hard budget, of which too little is",
    "left until its period ends, which `Retry-After` says. Do not run a default model then.",
    "",
    "Where you check results, say how (`verification`) and what a right one is worth (`success_value_usd`):",
    "`plan` is the order of attempts that is worth most. Ask again with `attempts` when one has failed.",
    "",
    "With `shadow` you run your own default whatever the answer is: no report counts a saving, and the",
    "outcome that you report of the model that ran teaches."
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
    "override those of the workflow. 422 names the step that no model can run. A hard budget must have",
    "enough for all steps, or it is 429."
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
