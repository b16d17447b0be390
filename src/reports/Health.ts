/* The health of a report's rows: how many have feedback, and how they were decided. */
import type { LedgerRow } from "../domain/Decision.ts"
import type { ReportHealth } from "../domain/Report.ts"
import type { HealthSums } from "./Aggregates.ts"

/** The counts behind {@link healthOf}. */
export const healthSums = (rows: ReadonlyArray<LedgerRow>): HealthSums => {
  const sums = { n: rows.length, nFeedback: 0, nLate: 0, nEscalated: 0, nExplored: 0, nEpsilon: 0 }
  for (const { decision, feedback } of rows) {
    if (feedback !== null) sums.nFeedback += 1
    if (feedback?.isLate === true) sums.nLate += 1
    if (decision.isEscalated) sums.nEscalated += 1
    if (decision.isExploration) sums.nExplored += 1
    if (decision.selectionPolicy === "epsilon_softmax") sums.nEpsilon += 1
  }
  return sums
}

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

/** {@link healthOf} from rows. */
export const health = (rows: ReadonlyArray<LedgerRow>): ReportHealth => healthOf(healthSums(rows))
