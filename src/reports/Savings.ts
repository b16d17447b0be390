import { Order } from "effect"
import type { DashboardResponse } from "../domain/Dashboard.ts"
import type { LedgerRow } from "../domain/Decision.ts"
import type { GroupBy, SavingsResponse, SavingsSummary } from "../domain/Report.ts"
import { dayMs } from "../domain/Time.ts"
import * as Groups from "../stats/GroupBy.ts"
import { health } from "./Health.ts"

/** Over every decision: what the estimates say, billed or not. */
const estimated = (rows: ReadonlyArray<LedgerRow>): SavingsSummary["estimated"] => {
  let costRecommendedUsd = 0
  let costPremiumUsd = 0
  let nDeclared = 0
  let costDeclaredUsd = 0
  let recommendedOfDeclaredUsd = 0
  for (const { decision } of rows) {
    costRecommendedUsd += decision.costRecommendedUsd
    costPremiumUsd += decision.costPremiumUsd
    if (decision.costDeclaredUsd === null) continue
    nDeclared += 1
    costDeclaredUsd += decision.costDeclaredUsd
    recommendedOfDeclaredUsd += decision.costRecommendedUsd
  }
  return {
    n: rows.length,
    costRecommendedUsd,
    costPremiumUsd,
    savingsVsPremiumUsd: costPremiumUsd - costRecommendedUsd,
    nDeclared,
    costDeclaredUsd,
    savingsVsDeclaredUsd: costDeclaredUsd - recommendedOfDeclaredUsd
  }
}

/** Over the rows that were billed: the bill, against what the baselines were estimated to cost there. */
const realized = (rows: ReadonlyArray<LedgerRow>): SavingsSummary["realized"] => {
  let nReconciled = 0
  let realizedCostUsd = 0
  let estCostRecommendedUsd = 0
  let estCostPremiumUsd = 0
  let nDeclared = 0
  let estCostDeclaredUsd = 0
  let realizedOfDeclaredUsd = 0
  for (const { decision, feedback } of rows) {
    // An explicit 0 is a measurement: only null claims nothing.
    if (feedback === null || feedback.actualCostUsd === null) continue
    nReconciled += 1
    realizedCostUsd += feedback.actualCostUsd
    estCostRecommendedUsd += decision.costRecommendedUsd
    estCostPremiumUsd += decision.costPremiumUsd
    if (decision.costDeclaredUsd === null) continue
    nDeclared += 1
    estCostDeclaredUsd += decision.costDeclaredUsd
    realizedOfDeclaredUsd += feedback.actualCostUsd
  }
  return {
    nReconciled,
    realizedCostUsd,
    estCostRecommendedUsd,
    estCostPremiumUsd,
    savingsVsPremiumEstUsd: estCostPremiumUsd - realizedCostUsd,
    nDeclared,
    estCostDeclaredUsd,
    savingsVsDeclaredEstUsd: estCostDeclaredUsd - realizedOfDeclaredUsd
  }
}

/** Null as long as no row knows. */
const reasonerCost = (rows: ReadonlyArray<LedgerRow>): number | null => {
  let costUsd: number | null = null
  for (const { decision: { reasonerCostUsd } } of rows) {
    if (reasonerCostUsd !== null) costUsd = (costUsd ?? 0) + reasonerCostUsd
  }
  return costUsd
}

/** Both sides of the ledger, beside each other and never in one number. */
export const summary = (rows: ReadonlyArray<LedgerRow>): SavingsSummary => ({
  estimated: estimated(rows),
  realized: realized(rows),
  reasonerCostUsd: reasonerCost(rows)
})

const keyOf: { readonly [By in GroupBy]: (row: LedgerRow) => string } = {
  cluster: ({ decision }) => decision.cluster,
  task_type: ({ decision }) => decision.taskType,
  lane: ({ decision }) => decision.lane
}

/**
 * Savings in US dollars against both baselines, below 0 when we cost more. Estimated and realized figures
 * never meet in one number, except that a bill is compared with what its baselines were estimated to cost.
 *
 * @param groupBy null gives no groups; otherwise they are sorted by key and partition the rows
 */
export const savings = (
  rows: ReadonlyArray<LedgerRow>,
  groupBy: GroupBy | null
): Pick<SavingsResponse, "summary" | "health" | "groups"> => ({
  summary: summary(rows),
  health: health(rows),
  groups: groupBy === null
    ? []
    : [...Groups.groupBy(rows, keyOf[groupBy])]
      .sort(([one], [other]) => Order.String(one, other))
      .map(([key, members]) => ({ key, summary: summary(members), health: health(members) }))
})

/**
 * Savings per UTC day of the decision, ascending, days without a decision left out. Feedback counts on the
 * day of its decision, however late it comes: a day's realized figures may still grow, its estimates do not.
 */
export const savingsByDay = (rows: ReadonlyArray<LedgerRow>): DashboardResponse["savingsByDay"] =>
  [...Groups.groupBy(rows, ({ decision }) => Math.floor(decision.createdAt.getTime() / dayMs))]
    .sort(([one], [other]) => one - other)
    .map(([day, members]) => ({
      day: new Date(day * dayMs).toISOString().slice(0, 10),
      summary: summary(members)
    }))
