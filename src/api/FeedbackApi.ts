import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { FeedbackRequest, FeedbackResponse } from "../domain/Feedback.ts"
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
    "Closes the loop: what came of a recommendation teaches the next one. Send the tokens, cost and latency",
    "that were really billed and measured; leave out what you do not know, since an explicit 0 counts as a",
    "measurement. `evidence_source` says what carried the label.",
    "",
    "Safe to retry: repeats are counted once under `idempotency_key`, or under the recommendation and the",
    "model when it is left out, so a later correction needs a key of its own. All reports of a",
    "recommendation and a model teach as one: the most trusted label stands, among equals the last, and",
    "`none` adds what was measured; `outcome_replaced` and `outcome_outranked` say what became of yours. An",
    "unknown `recommendation_id` is not an error: `accepted` is false and `warnings` says",
    "`unknown_recommendation`."
  ].join("\n"),
  example: {
    recommendation_id: "01890a5d-ac96-774b-bcce-b302099a8057",
    chosen_model_id: "gpt-4o-mini",
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
  .annotateMerge(OpenApi.annotations({ title: "Feedback", description: "What came of a recommendation" }))
{}
