/* Decisions with feedback, and what their outcomes count for. */
import type { DecisionCandidate, LedgerRow, Reconciliation } from "../../../src/domain/Decision.ts"
import type { Outcome } from "../../../src/domain/feedback/Feedback.ts"

/** A decision that has feedback. */
export interface ReconciledRow extends LedgerRow {
  readonly feedback: Reconciliation
}

export const isReconciled = (row: LedgerRow): row is ReconciledRow => row.feedback !== null

const successes: { readonly [O in Outcome]: number } = { success: 1, partial: 0.5, failure: 0 }

/** The success of an outcome, in [0, 1]; the quality score is a separate, finer measure. */
export const successOf = (outcome: Outcome): number => successes[outcome]

/** The scored candidate that ran; undefined when the caller ran a model that was not scored. */
export const chosenCandidate = ({ decision, feedback }: ReconciledRow): DecisionCandidate | undefined =>
  decision.candidates.find(({ modelId }) => modelId === feedback.chosenModelId)
