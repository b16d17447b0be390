/* The verdict of a check on a planned attempt. */
import { successOf } from "../../domain/feedback/Feedback.ts"
import { isVerdict } from "../../domain/feedback/FeedbackPrecedence.ts"
import type { ReportPlan } from "../../ledger/ReportSubmission.ts"
import type { CheckedAttempt } from "../CheckHistory.ts"
import type { FeedbackContext } from "./FeedbackContext.ts"

/** Returns the verdict on a planned attempt; null if the feedback is no such verdict. */
export const checkedAttemptOf = (
  { decision: { attemptNumber, isShadow }, request: { errorCause, outcome }, verdict }: Pick<
    FeedbackContext, "decision" | "request" | "verdict"
  >,
  { outcomes }: Pick<ReportPlan, "outcomes">
): CheckedAttempt | null =>
  attemptNumber === null || isShadow || !isVerdict({ errorCause, outcome, ...verdict }) ? null : {
    attemptNumber, outcome,
    provenance: verdict.provenance,
    models: outcomes.length,
    isKnownFailure: outcomes.some(({ said = {} }) => Object.values(said).includes(successOf.failure))
  }
