/* The health of a report's decisions: rates of feedback, late feedback, escalation and exploration. */
import type { ReportHealth } from "../domain/reports/Report.ts"
import type { HealthSums } from "./savings/SavingsSums.ts"

const share = (part: number, whole: number): number => whole === 0 ? 0 : part / whole

/**
 * The rates that tell how far a report on these decisions can be trusted. They are in [0, 1], and 0 without
 * decisions. `lateFeedbackShare` is a share of the decisions with feedback; the others are of all decisions.
 */
export const healthOf = (sums: HealthSums): ReportHealth => ({
  recommendations: sums.n,
  feedbackCoverage: share(sums.nFeedback, sums.n),
  lateFeedbackShare: share(sums.nLate, sums.nFeedback),
  escalationRate: share(sums.nEscalated, sums.n),
  explorationShare: share(sums.nExplored, sums.n),
  epsilonPolicyShare: share(sums.nEpsilon, sums.n)
})
