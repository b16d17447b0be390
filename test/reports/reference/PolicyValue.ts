/* The reference of the policy value report: what ways of choosing a model are worth on the trusted rows. */
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import type { PolicyValueResponse } from "../../../src/domain/reports/PolicyValue.ts"
import type { LabelledOutcomes } from "../../../src/reports/Aggregates.ts"
import { columnsOf } from "../../../src/reports/OutcomeColumns.ts"
import { policyWorths } from "../../../src/reports/PolicyWorth.ts"
import { trustedOutcomes } from "./OutcomeColumns.ts"
import { isReconciled, type ReconciledRow } from "./Reconciled.ts"
import { hasPlace, inOrder } from "./Tasks.ts"

/**
 * Whether a label comes from a gate or a human and may teach. A judge's or a bare assertion cannot value a
 * policy.
 */
const isTrusted = ({ feedback }: ReconciledRow): boolean =>
  feedback.teaches && (feedback.provenance === "gate" || feedback.provenance === "human")

/** The rows of later attempts: they are made at tasks at which others failed. */
const laterAttempts = (rows: ReadonlyArray<LedgerRow>): ReadonlySet<LedgerRow> => {
  const known = rows.filter(({ decision }) => decision.taskKey !== null).filter(hasPlace)
  const tasks = Map.groupBy(known, ({ decision: { lane, taskKey } }) => JSON.stringify([lane, taskKey])).values()
  return new Set([
    ...rows.filter(({ decision: { attemptNumber } }) => (attemptNumber ?? 1) !== 1),
    ...[...tasks].flatMap((task) => task.toSorted((a, b) => inOrder(a) < inOrder(b) ? -1 : 1).slice(1))
  ])
}

/** The trusted outcomes of first attempts among the rows. */
export const trustedOf = (rows: ReadonlyArray<LedgerRow>): LabelledOutcomes => {
  const reconciled = rows.filter(isReconciled)
  const later = laterAttempts(rows)
  return trustedOutcomes(reconciled.filter((row) => isTrusted(row) && !later.has(row)), reconciled.length)
}

/**
 * What policies are worth on the trusted rows, whose mix of tasks represents all others: success in [0, 1],
 * costs in US dollars per call. A label is that of the model that ran. Without trusted rows there are no
 * policies. The regret is model-based, so it can be below 0; it is 0 while no trusted row followed the
 * recommendation.
 *
 * @param rows oldest first
 */
export const policyValue = (rows: ReadonlyArray<LedgerRow>): PolicyValueResponse["report"] => {
  const outcomes = trustedOf(rows)
  return {
    nTrusted: outcomes.rows,
    nTotalReconciled: outcomes.nReconciled,
    ...policyWorths(columnsOf(outcomes)).report
  }
}
