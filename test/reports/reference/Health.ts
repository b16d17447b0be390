/* The reference of the counts behind a report's health. */
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import type { ReportHealth } from "../../../src/domain/reports/Report.ts"
import type { HealthSums } from "../../../src/reports/savings/SavingsSums.ts"
import { healthOf } from "../../../src/reports/Health.ts"

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

/** {@link healthOf} from rows. */
export const health = (rows: ReadonlyArray<LedgerRow>): ReportHealth => healthOf(healthSums(rows))
