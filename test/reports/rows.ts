import type { LedgerRow, Reconciliation } from "../../src/domain/Decision.ts"
import { unmeasured } from "../../src/domain/feedback/FeedbackPrecedence.ts"
import { decision as anyDecision, idOf } from "../support/builders.ts"

/** When every row of these tests was decided. */
export const decidedAt = new Date("2026-11-20T12:00:00Z")

const decision: LedgerRow["decision"] = anyDecision({
  recommendationId: idOf("rec"),
  createdAt: decidedAt,
  difficulty: "hard",
  cluster: "code:hard",
  recommendedModelId: "small",
  predictedSuccess: 0.75,
  threshold: 0.7,
  costRecommendedUsd: 0.25,
  costPremiumUsd: 1,
  candidates: [
    { modelId: "small", predictedSuccess: 0.75, estCostUsd: 0.25, isEligible: true },
    { modelId: "large", predictedSuccess: 0.95, estCostUsd: 1, isEligible: true }
  ],
  catalogVersion: "test",
  latencyMs: 3
})

const feedback: Reconciliation = {
  feedbackAt: new Date("2026-11-20T13:00:00Z"),
  chosenModelId: "small",
  outcome: "success",
  quality: 0.9,
  provenance: "gate",
  errorCause: null,
  teaches: true,
  isLate: false,
  ...unmeasured
}

/** A decision without feedback, with the given fields replaced. */
export const decided = (but: Partial<LedgerRow["decision"]> = {}): LedgerRow => ({
  decision: { ...decision, ...but },
  feedback: null
})

/** A gate's success with the recommended model, but for what is said. */
export const reported = (
  but: Partial<Reconciliation> = {},
  decision: Partial<LedgerRow["decision"]> = {}
): LedgerRow => ({ ...decided(decision), feedback: { ...feedback, ...but } })
