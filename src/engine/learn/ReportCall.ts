/* Turns a feedback into a report on the health of its model. */
import { rateLimitStatus } from "../../domain/feedback/Feedback.ts"
import { isBroken } from "../../domain/feedback/FeedbackPrecedence.ts"
import { modelIdOf } from "../../domain/model/ModelVariant.ts"
import type { ReportedCall } from "../../ledger/ReportSubmission.ts"
import { hashOf } from "../../stats/Hash.ts"
import { reporterOf } from "../../stats/ModelHealth.ts"
import type { CombinedFeedback } from "./FeedbackContext.ts"

/**
 * Returns the reported call, broken or not, for the health of its model. Returns null if the account's
 * catalog lacks the model, or if earlier reports on this decision and model agree whether the call broke.
 */
export const reportedCall = (feedback: CombinedFeedback): ReportedCall | null => {
  const { before, decision, keyId, provider, request } = feedback
  const { chosenModelId, errorCause, outcome, providerStatus, retryAfterMs } = request
  if (provider === null) return null
  const isNowBroken = errorCause === "infra" && outcome !== "success"
  if (before !== null && isBroken(before.label) === isNowBroken) return null
  return {
    provider,
    modelId: modelIdOf(chosenModelId),
    reporter: reporterOf(hashOf(keyId), hashOf(decision.userId ?? "")),
    isBroken: isNowBroken,
    isRateLimited: isNowBroken && providerStatus === rateLimitStatus,
    retryAfterMs: isNowBroken ? retryAfterMs : null
  }
}
