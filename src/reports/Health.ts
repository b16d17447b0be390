/* The health of a report's rows: rates of feedback, late feedback, escalation and exploration. */
import type { ReportHealth } from "../domain/reports/Report.ts"
import type { HealthSums } from "./savings/SavingsSums.ts"

const share = (part: number, whole: number): number => whole === 0 ? 0 : part / whole

/**
 * How far a report on these rows can be trusted. Every rate is in [0, 1], and 0 without rows:
 * `lateFeedbackShare` over the rows with feedback, the others over all rows.
 */
export const healthOf = (sums: HealthSums): ReportHealth => ({
  recommendations: sums.n,
  feedbackCoverage: share(sums.nFeedback, sums.n),
  lateFeedbackShare: share(sums.nLate, sums.nFeedback),
  escalationRate: share(sums.nEscalated, sums.n),
  explorationShare: share(sums.nExplored, sums.n),
  epsilonPolicyShare: share(sums.nEpsilon, sums.n)
})
