import type { LedgerRow } from "../domain/Decision.ts"
import type { PolicyValueResponse } from "../domain/Report.ts"
import type { LabelledOutcomes } from "./Aggregates.ts"
import { columnsOf, trustedOutcomes } from "./OutcomeColumns.ts"
import { policyWorths } from "./PolicyWorth.ts"
import { isReconciled, type ReconciledRow } from "./Reconciled.ts"

/** A label from a gate or a human that may teach; a judge or a bare assertion cannot value a policy. */
const isTrusted = ({ feedback }: ReconciledRow): boolean =>
  feedback.teaches && (feedback.provenance === "gate" || feedback.provenance === "human")

/** The trusted outcomes among the rows. */
export const trustedOf = (rows: ReadonlyArray<LedgerRow>): LabelledOutcomes => {
  const reconciled = rows.filter(isReconciled)
  return trustedOutcomes(reconciled.filter(isTrusted), reconciled.length)
}

/** The report on trusted outcomes; see {@link policyValue}. */
export const policyReport = (outcomes: LabelledOutcomes): PolicyValueResponse["report"] => ({
  nTrusted: outcomes.rows,
  nTotalReconciled: outcomes.nReconciled,
  ...policyWorths(columnsOf(outcomes))
})

/**
 * What policies are worth on the trusted rows, whose mix of tasks stands for all others: success in [0, 1],
 * costs in US dollars per call. A label is the label of the model that ran. Without trusted rows there are no
 * policies; the regret (model-based, so it can be below 0) is 0 as long as no trusted row followed us.
 *
 * @param rows oldest first
 */
export const policyValue = (rows: ReadonlyArray<LedgerRow>): PolicyValueResponse["report"] =>
  policyReport(trustedOf(rows))
