/** The endpoint that takes reports on recommendations, `POST /v1/feedback`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { FeedbackRequest, FeedbackResponse } from "../domain/feedback/Feedback.ts"
import { Authorization } from "./Authorization.ts"
import { documented } from "./Docs.ts"
import { PayloadTooLarge, UnsupportedMediaType } from "./Problems.ts"

const feedback = HttpApiEndpoint.post("feedback", "/feedback", {
  payload: FeedbackRequest,
  success: FeedbackResponse,
  error: [PayloadTooLarge, UnsupportedMediaType]
}).annotateMerge(documented({
  summary: "Report an outcome",
  right: "use",
  description: [
    "Reports the outcome of a recommendation, from which later recommendations learn. Send the tokens, cost",
    "and latency that were billed and measured. Leave out what you do not know: an explicit 0 counts as a",
    "measurement. `evidence_source` says where the label comes from.",
    "",
    "Safe to retry: repeats with the same `idempotency_key` count once. Without a key, repeats of the same",
    "recommendation and model count once, so a later correction needs a key of its own. All reports of a",
    "recommendation and a model count as one outcome: the most trusted label is used, among equals the last;",
    "a report with `none` adds its measurements. `outcome_replaced` and `outcome_outranked` say which label",
    "was used. An unknown `recommendation_id` is not an error: `accepted` is false, and `warnings` contains",
    "`unknown_recommendation`."
  ].join("\n"),
  example: {
    recommendation_id: "01890a5d-ac96-774b-bcce-b302099a8057",
    chosen_model_id: "gpt-5.4-mini",
    outcome: "success",
    quality_score: 0.9,
    evidence_source: "gate",
    input_tokens: 812,
    output_tokens: 240,
    actual_cost_usd: 0.00027,
    latency_ms: 1840
  }
}))

export class FeedbackApi extends HttpApiGroup.make("feedback")
  .add(feedback)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Feedback", description: "Outcomes of recommendations" }))
{}
