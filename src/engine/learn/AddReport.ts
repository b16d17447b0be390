/* Adds the report of a feedback to the earlier reports of its decision. */
import {
  type FeedbackReport, reported, type ReportedOutcome
} from "../../domain/feedback/FeedbackPrecedence.ts"
import { signalsOf } from "../../domain/RunSignals.ts"
import type { DecisionOutcomes } from "../../ledger/ReportSubmission.ts"
import type { EngineSettings } from "../Settings.ts"
import type { FeedbackContext, CombinedFeedback } from "./FeedbackContext.ts"

export const reportOf = (
  { now, request, usage: { warnings: _, ...measured }, verdict }: Pick<
    FeedbackContext, "now" | "request" | "usage" | "verdict"
  >
): FeedbackReport => {
  const signals = signalsOf(request)
  return {
    feedbackAt: now,
    chosenModelId: request.chosenModelId,
    outcome: request.outcome,
    quality: verdict.quality,
    taughtQuality: verdict.taughtQuality,
    provenance: verdict.provenance,
    provenanceWeight: verdict.provenanceWeight,
    errorCause: request.errorCause,
    teaches: verdict.teaches,
    isLate: verdict.isLate,
    ...measured,
    ...(signals === null ? {} : { signals })
  }
}

/**
 * Combines a feedback with the earlier reports of its decision. The returned `outcomes` are the decision's
 * after the feedback.
 */
export const addReport = (
  context: FeedbackContext,
  { outcomes: earlier, revision }: DecisionOutcomes,
  { modelsPerDecisionMax }: Pick<EngineSettings, "modelsPerDecisionMax">
): { readonly feedback: CombinedFeedback; readonly outcomes: ReadonlyArray<ReportedOutcome> } => {
  const { after, before, outcomes } = reported(earlier, reportOf(context), revision, modelsPerDecisionMax)
  return { feedback: { ...context, before, outcome: after }, outcomes }
}
