/* The savings report: estimated and realized costs against both baselines. */
import { Order } from "effect"
import { confirmed, costOutlierRule, isCostOutlier } from "../domain/CostOutlier.ts"
import type { DashboardResponse } from "../domain/Dashboard.ts"
import type { Decision, LedgerRow } from "../domain/Decision.ts"
import type { FollowedSavings } from "../domain/FollowedSavings.ts"
import type { GroupBy, SavingsResponse, SavingsSummary } from "../domain/Report.ts"
import { costSourceOf } from "../domain/ReportPrecedence.ts"
import * as Rounding from "../domain/Rounding.ts"
import type { Lane } from "../domain/Scope.ts"
import { unrunBills } from "../stats/BillRatio.ts"
import * as Groups from "../stats/GroupBy.ts"
import type {
  BilledSums, BySource, FollowedSums, Keyed, SavingsFigures, SavingsSums
} from "./Aggregates.ts"
import {
  bySource, costCells, costedIn, costOf, followedSavings, followedSums, wholeFollowed
} from "./Followed.ts"
import { healthOf, healthSums } from "./Health.ts"
import { isReconciled, type ReconciledRow } from "./Reconciled.ts"

const noBills: BilledSums = {
  n: 0, billedUsd: 0, recommendedUsd: 0, premiumUsd: 0, nDeclared: 0, declaredUsd: 0, billedOfDeclaredUsd: 0
}

const noSavings: Omit<SavingsSums, "billed" | "outliers" | "reasonerUsd"> = {
  n: 0, nFeedback: 0, nLate: 0, nEscalated: 0, nExplored: 0, nEpsilon: 0, nFollowed: 0, recommendedUsd: 0,
  premiumUsd: 0, nDeclared: 0, declaredUsd: 0, recommendedOfDeclaredUsd: 0
}

const billedNames = Object.keys(noBills) as Array<keyof BilledSums>
const plainNames = Object.keys(noSavings) as Array<keyof typeof noSavings>

type Costs = Pick<Decision, "costDeclaredUsd" | "costPremiumUsd" | "costRecommendedUsd">

/** Adds a decision with its bill, in USD, to the sums. */
const addBill = (
  sums: { -readonly [K in keyof BilledSums]: number },
  { costDeclaredUsd, costPremiumUsd, costRecommendedUsd }: Costs,
  billUsd: number
): void => {
  sums.n += 1
  sums.billedUsd += billUsd
  sums.recommendedUsd += costRecommendedUsd
  sums.premiumUsd += costPremiumUsd
  if (costDeclaredUsd === null) return
  sums.nDeclared += 1
  sums.declaredUsd += costDeclaredUsd
  sums.billedOfDeclaredUsd += billUsd
}

/** The rows that savings are about: no saving is claimed of a decision that was asked in shadow. */
const counted = (rows: ReadonlyArray<LedgerRow>) => rows.filter(({ decision }) => !decision.isShadow)

/**
 * Rows whose cost is far above every estimate, unless another cost of the same source, model and cluster is
 * near it.
 */
export const outliersIn = (rows: ReadonlyArray<LedgerRow>): ReadonlySet<LedgerRow> => {
  const costed = rows.filter(isReconciled).filter(({ feedback }) => costOf(feedback) !== null)
  const isFar = ({ decision, feedback }: ReconciledRow) =>
    isCostOutlier(costOf(feedback), decision.costPremiumUsd, costOutlierRule)
  const outliers = new Set<LedgerRow>()
  if (!costed.some(isFar)) return outliers
  const cells = Groups.groupBy(costed, ({ decision, feedback }) =>
    JSON.stringify([costSourceOf(feedback), decision.cluster, feedback.chosenModelId]))
  for (const cell of cells.values()) {
    const isConfirmed = confirmed(cell.map(({ feedback }) => costOf(feedback) ?? 0), costOutlierRule)
    cell.forEach((row, index) => {
      if (isFar(row) && !isConfirmed[index]) outliers.add(row)
    })
  }
  return outliers
}

/** The sums behind savings and health; `outliers` are those of a whole window. */
const savingsSums = (rows: ReadonlyArray<LedgerRow>, outliers: ReadonlySet<LedgerRow>): SavingsSums => {
  const sums = { ...noSavings, ...healthSums(rows) }
  const [billed, outlying] = [{ ...noBills }, { ...noBills }]
  let reasonerUsd: number | null = null
  for (const row of rows) {
    const { decision, feedback } = row
    const { costDeclaredUsd, costPremiumUsd, costRecommendedUsd, reasonerCostUsd } = decision
    if (feedback?.chosenModelId === decision.recommendedModelId) sums.nFollowed += 1
    sums.recommendedUsd += costRecommendedUsd
    sums.premiumUsd += costPremiumUsd
    if (reasonerCostUsd !== null) reasonerUsd = (reasonerUsd ?? 0) + reasonerCostUsd
    if (costDeclaredUsd !== null) {
      sums.nDeclared += 1
      sums.declaredUsd += costDeclaredUsd
      sums.recommendedOfDeclaredUsd += costRecommendedUsd
    }
    // An explicit 0 is a measurement; null is not.
    const billUsd = feedback?.actualCostUsd ?? null
    if (billUsd === null) continue
    addBill(billed, decision, billUsd)
    if (outliers.has(row)) addBill(outlying, decision, billUsd)
  }
  return { ...sums, billed, outliers: outlying, reasonerUsd }
}

/** Adds up the parts' numbers of these names, rounded as amounts are sent. */
const addedUp = <Name extends string>(
  names: ReadonlyArray<Name>,
  parts: ReadonlyArray<Readonly<Record<NoInfer<Name>, number>>>
): Readonly<Record<Name, number>> => {
  const whole: Partial<Record<Name, number>> = {}
  // Rounding to the decimals of an amount leaves counts as they are.
  for (const name of names) {
    whole[name] = Rounding.usd(parts.reduce<number>((total, part) => total + part[name], 0))
  }
  return whole as Record<Name, number> // Every name has been set.
}

/** The sums as they are sent. Totals and differences of these agree with those that a caller computes. */
const asSent = (sums: SavingsSums): SavingsSums => ({
  ...sums,
  ...addedUp(plainNames, [sums]),
  billed: addedUp(billedNames, [sums.billed]),
  outliers: addedUp(billedNames, [sums.outliers]),
  reasonerUsd: sums.reasonerUsd === null ? null : Rounding.usd(sums.reasonerUsd)
})

/** The sums of several groups, added up. */
const wholeOf = (groups: ReadonlyArray<SavingsSums>): SavingsSums => {
  const reasoner = groups.flatMap(({ reasonerUsd }) => reasonerUsd ?? [])
  return {
    ...addedUp(plainNames, groups),
    billed: addedUp(billedNames, groups.map(({ billed }) => billed)),
    outliers: addedUp(billedNames, groups.map(({ outliers }) => outliers)),
    reasonerUsd: reasoner.length === 0 ? null : reasoner.reduce((total, usd) => total + usd, 0)
  }
}

const realizedOf = (billed: BilledSums): SavingsSummary["realized"] => ({
  nReconciled: billed.n,
  realizedCostUsd: billed.billedUsd,
  estCostRecommendedUsd: billed.recommendedUsd,
  estCostPremiumUsd: billed.premiumUsd,
  savingsVsPremiumEstUsd: billed.premiumUsd - billed.billedUsd,
  nDeclared: billed.nDeclared,
  estCostDeclaredUsd: billed.declaredUsd,
  savingsVsDeclaredEstUsd: billed.declaredUsd - billed.billedOfDeclaredUsd
})

/** The sums of bills without the outliers. A rounding error leaves no negative cost. */
const withoutOutliers = ({ billed, outliers }: SavingsSums): BilledSums => {
  const rest = { ...billed }
  for (const name of billedNames) {
    rest[name] = Math.max(0, billed[name] - outliers[name])
  }
  return rest
}

/**
 * Estimated and realized savings, side by side and never added up. `estimated` is over every decision;
 * `realized` is over those with a bill, compared with the estimated costs of the baselines; `followed` over
 * those whose pick ran, compared with what the declared baseline would have cost.
 */
const summaryOf = (sums: SavingsSums, followed: FollowedSavings): SavingsSummary => ({
  estimated: {
    n: sums.n,
    costRecommendedUsd: sums.recommendedUsd,
    costPremiumUsd: sums.premiumUsd,
    savingsVsPremiumUsd: sums.premiumUsd - sums.recommendedUsd,
    nDeclared: sums.nDeclared,
    costDeclaredUsd: sums.declaredUsd,
    savingsVsDeclaredUsd: sums.declaredUsd - sums.recommendedOfDeclaredUsd
  },
  realized: realizedOf(sums.billed),
  reasonerCostUsd: sums.reasonerUsd,
  nCostOutliers: sums.outliers.n,
  costOutliersUsd: sums.outliers.billedUsd,
  realizedWithoutOutliers: sums.outliers.n === 0 ? null : realizedOf(withoutOutliers(sums)),
  followed
})

/** What savings are added up by; a day is that of the decision, UTC, `2026-11-21`. */
export type SavingsKey = GroupBy | "day"

const keyOf: { readonly [By in SavingsKey]: (row: LedgerRow) => string } = {
  cluster: ({ decision }) => decision.cluster,
  task_type: ({ decision }) => decision.taskType,
  lane: ({ decision }) => decision.lane,
  day: ({ decision }) => decision.createdAt.toISOString().slice(0, 10)
}

/**
 * The sums by group; a null `groupBy` makes one group of all rows. Those in shadow are left out.
 *
 * @param all rows of every lane
 * @param lane whose rows are added up; null for all
 */
export const savingsFigures = (
  all: ReadonlyArray<LedgerRow>,
  groupBy: SavingsKey | null,
  lane: Lane | null = null
): SavingsFigures => {
  const rows = counted(all)
  const outliers = outliersIn(rows)
  const own = lane === null ? rows : rows.filter(({ decision }) => decision.lane === lane)
  const groups = [...Groups.groupBy(own, groupBy === null ? () => "" : keyOf[groupBy])]
  return {
    groups: groups.map(([key, members]) => ({ key, sums: savingsSums(members, outliers) })),
    followed: groups.map(([key, members]) =>
      ({ key, sums: bySource((source) => followedSums(costedIn(members, outliers, source))) })),
    costs: bySource((source) => costCells(costedIn(rows, outliers, source)))
  }
}

/** The report from sums; see {@link savings}. */
export const savingsOf = (
  { costs, followed, groups: found }: SavingsFigures,
  groupBy: SavingsKey | null
): Pick<SavingsResponse, "summary" | "health" | "groups"> => {
  const groups = found.map(({ key, sums }) => ({ key, sums: asSent(sums) }))
  const followedBy = new Map(followed.map(({ key, sums }) => [key, sums]))
  const costsOf = bySource((source) => unrunBills(costs[source]))
  const reportOf = (sums: SavingsSums, ofFollowed: BySource<FollowedSums>) =>
    ({ summary: summaryOf(sums, followedSavings(ofFollowed, costsOf, sums)), health: healthOf(sums) })
  return {
    ...reportOf(wholeOf(groups.map(({ sums }) => sums)), wholeFollowed(followed.map(({ sums }) => sums))),
    groups: groupBy === null ? [] : groups.toSorted((one, other) => Order.String(one.key, other.key))
      .map(({ key, sums }) => ({ key, ...reportOf(sums, followedBy.get(key) ?? wholeFollowed([])) }))
  }
}

/**
 * Savings in US dollars against both baselines, below 0 when the recommendations cost more. Estimated and
 * realized figures are never added up; a bill is compared with the estimated costs of its baselines.
 *
 * Decisions that were asked in shadow are left out: the caller ran its own default, whatever the answer was.
 *
 * @param groupBy null gives no groups; otherwise they are sorted by key and partition the other rows
 */
export const savings = (
  rows: ReadonlyArray<LedgerRow>,
  groupBy: GroupBy | null
): Pick<SavingsResponse, "summary" | "health" | "groups"> => savingsOf(savingsFigures(rows, groupBy), groupBy)

/**
 * Savings per UTC day of the decision, ascending, without days that have no decision or shadows alone. Late
 * feedback counts on its decision's day: a day's realized figures may still change, its estimates do not.
 */
export const savingsByDayOf = (days: SavingsFigures): DashboardResponse["savingsByDay"] =>
  savingsOf(days, "day").groups.map(({ key, summary }) => ({ day: key, summary }))
