/* The report of a feedback, and what the ledger is expected to make of it. */
import {
  type Foreseen, outcomeOf, type FeedbackReport, reported, type ReportedOutcome
} from "../../domain/ReportPrecedence.ts"
import type { FeedbackContext, ReconciledFeedback } from "./FeedbackContext.ts"

/** The report of a feedback, as the ledger keeps it. */
export const reportOf = (
  { now, request, usage: { warnings: _, ...measured }, verdict }: Pick<
    FeedbackContext, "now" | "request" | "usage" | "verdict"
  >
): FeedbackReport => ({
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
  ...measured
})

/** The outcomes of a decision, and a revision above that of each of their reports. */
interface KnownReports {
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  readonly revision: number
}

/** A feedback as it will be reconciled if no other report of its decision is settled before it. */
interface ExpectedFeedback {
  readonly feedback: ReconciledFeedback
  /** What the expectation is built on; the ledger checks that it still holds. */
  readonly foreseen: Foreseen
}

/**
 * The feedback reconciled with the reports that were read outside its settlement. A decision that retention
 * deleted meanwhile has no other reports: `known` is null.
 */
export const expectedFeedback = (
  context: FeedbackContext,
  known: KnownReports | null,
  rule: { readonly modelsPerDecisionMax: number }
): ExpectedFeedback => {
  const { outcomes, revision } = known ?? { outcomes: [], revision: 1 }
  const limits = { modelsMax: rule.modelsPerDecisionMax }
  const { after, before } = reported(outcomes, reportOf(context), revision, limits)
  const basis = outcomeOf(outcomes, context.request.chosenModelId)?.revision ?? 0
  return { feedback: { ...context, before, outcome: after }, foreseen: { basis, revision } }
}
