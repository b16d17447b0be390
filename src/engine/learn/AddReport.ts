/* Adds the report of a feedback to the earlier reports of its decision. */
import {
  type FeedbackReport, type Label, reported, type ReportedOutcome
} from "../../domain/FeedbackPrecedence.ts"
import { type KeptVote, outcomeOfThumb } from "../../domain/Vote.ts"
import type { DecisionOutcomes } from "../../ledger/Settlement.ts"
import type { EngineSettings } from "../Settings.ts"
import type { FeedbackContext, CombinedFeedback } from "./FeedbackContext.ts"

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

/** A feedback combined with the reports that its decision has, and what all of them come to. */
interface CountedFeedback {
  readonly feedback: CombinedFeedback
  readonly outcomes: ReadonlyArray<ReportedOutcome>
}

type AddRule = Pick<EngineSettings, "modelsPerDecisionMax" | "qualityByOutcome" | "provenanceWeight">

/** The label of a vote. */
const labelOfVote = (
  { provenanceWeight, qualityByOutcome }: AddRule,
  { thumb, votedAt }: KeptVote,
  isLate: boolean
): Label => {
  const outcome = outcomeOfThumb[thumb]
  const quality = qualityByOutcome[outcome]
  return {
    feedbackAt: votedAt, outcome, quality, taughtQuality: quality, provenance: "vote",
    provenanceWeight: provenanceWeight.vote, errorCause: null, teaches: provenanceWeight.vote > 0, isLate
  }
}

/**
 * The feedback as one more report of its decision, with a vote that waited for it. A decision that retention
 * deleted has no other: null.
 */
export const addReport = (
  context: FeedbackContext,
  known: DecisionOutcomes | null,
  rule: AddRule
): CountedFeedback => {
  const { outcomes: earlier, revision, vote } = known ?? { outcomes: [], revision: 1, vote: null }
  const waiting = vote === null ? null : labelOfVote(rule, vote, context.verdict.isLate)
  const { after, before, outcomes } = reported(
    earlier, reportOf(context), revision, { modelsMax: rule.modelsPerDecisionMax, waiting }
  )
  return { feedback: { ...context, before, outcome: after }, outcomes }
}
