/* What a feedback says of the check of a planned attempt. */
import type { ReportPlan } from "../../ledger/ReportSubmission.ts"
import type { CheckedAttempt } from "../CheckHistory.ts"
import type { FeedbackContext } from "./FeedbackContext.ts"

/** The verdict on an attempt that was planned; null for usage, an outage, and a decision in shadow. */
export const checkedAttemptOf = (
  { decision: { attemptNumber, isShadow }, request: { errorCause, outcome }, verdict: { provenance } }: Pick<
    FeedbackContext, "decision" | "request" | "verdict"
  >,
  { outcomes }: Pick<ReportPlan, "outcomes">
): CheckedAttempt | null => {
  const isVerdict = provenance !== "none" && (errorCause !== "infra" || outcome === "success")
  return attemptNumber === null || isShadow || !isVerdict
    ? null
    : { attemptNumber, outcome, provenance, models: outcomes.length }
}
