/* Rates of feedback, late feedback, escalation and exploration among the decisions of a report. */
import type { ReportHealth } from "../domain/reports/Report.ts"
import type { HealthSums } from "./savings/SavingsSums.ts"

const share = (part: number, whole: number): number => whole === 0 ? 0 : part / whole

/**
 * The rates are in [0, 1], or 0 if there are no decisions. `lateFeedbackShare` is a share of the decisions
 * with feedback, and every other rate a share of all decisions.
 */
export const healthOf = (sums: HealthSums): ReportHealth => ({
  recommendations: sums.n,
  feedbackCoverage: share(sums.nFeedback, sums.n),
  lateFeedbackShare: share(sums.nLate, sums.nFeedback),
  escalationRate: share(sums.nEscalated, sums.n),
  explorationShare: share(sums.nExplored, sums.n),
  epsilonPolicyShare: share(sums.nEpsilon, sums.n)
})
