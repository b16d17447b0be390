import { assert, it } from "@effect/vitest"
import { reconciliationOf } from "../../src/domain/FeedbackPrecedence.ts"
import { withReports } from "../../src/privacy/ReportsOfRow.ts"

const feedback = {
  feedback_at: "2026-11-20T10:00:00.000Z", chosen_model_id: "gpt-5", outcome: "success", quality: 0.9,
  provenance: "gate", error_cause: null, teaches: true, is_late: false, actual_cost_usd: 0.002,
  input_tokens: 100, output_tokens: "50", actual_latency_ms: 800
}

it("a feedback from before reports were kept becomes the one report of its decision", () => {
  const { outcomes } = withReports({ ...feedback, outcomes: null }) as { outcomes: Parameters<typeof reconciliationOf>[0] }
  assert.lengthOf(outcomes, 1)
  assert.deepInclude(reconciliationOf(outcomes), {
    feedbackAt: new Date(feedback.feedback_at), chosenModelId: "gpt-5", outcome: "success", quality: 0.9,
    provenance: "gate", teaches: true, actualCostUsd: 0.002, inputTokens: 100, outputTokens: 50, latencyMs: 800
  })
})

it("a decision with reports, or without feedback, stays as it is", () => {
  const kept = { ...feedback, outcomes: [{ modelId: "gpt-5" }] }
  assert.strictEqual(withReports(kept), kept)
  const waiting = { feedback_at: null, outcomes: null }
  assert.strictEqual(withReports(waiting), waiting)
})
