import type { LedgerRow } from "../domain/Decision.ts"
import type { ReportHealth } from "../domain/Report.ts"

const share = (part: number, whole: number): number => whole === 0 ? 0 : part / whole

/**
 * How much to trust a report on these rows. Every rate is in [0, 1], and 0 without rows: `lateFeedbackShare`
 * over the rows with feedback, the others over all rows.
 */
export const health = (rows: ReadonlyArray<LedgerRow>): ReportHealth => {
  let withFeedback = 0
  let late = 0
  let escalated = 0
  let explored = 0
  let epsilon = 0
  for (const { decision, feedback } of rows) {
    if (feedback !== null) withFeedback += 1
    if (feedback?.isLate === true) late += 1
    if (decision.isEscalated) escalated += 1
    if (decision.isExploration) explored += 1
    if (decision.selectionPolicy === "epsilon_softmax") epsilon += 1
  }
  return {
    recommendations: rows.length,
    feedbackCoverage: share(withFeedback, rows.length),
    lateFeedbackShare: share(late, withFeedback),
    escalationRate: share(escalated, rows.length),
    explorationShare: share(explored, rows.length),
    epsilonPolicyShare: share(epsilon, rows.length)
  }
}
