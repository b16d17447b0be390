/* The savings report: estimated and actual costs, compared with both baselines. */
import { Order } from "effect"
import { variantName } from "../../domain/model/ModelVariant.ts"
import type { DashboardResponse } from "../../domain/reports/Dashboard.ts"
import type { FollowedSavings } from "../../domain/reports/FollowedSavings.ts"
import type { GroupBy, SavingsResponse, SavingsSummary } from "../../domain/reports/Report.ts"
import type { SavingsComparison } from "../../domain/reports/SavingsComparison.ts"
import * as Rounding from "../../domain/Rounding.ts"
import { unrunBills } from "../../stats/BillRatio.ts"
import type { BilledSums, BySource, FollowedSums, SavingsFigures, SavingsSums } from "./SavingsSums.ts"
import { bySource, followedSavings, wholeFollowed } from "./Followed.ts"
import { healthOf } from "../Health.ts"
import type { QualityEstimate } from "../PolicyWorth.ts"

/** Returns false if a saving has the basis `none`, or if it is above 0 and rests on estimates alone. */
const isKnown = ({ basis, savingsUsd }: Pick<FollowedSavings, "basis" | "savingsUsd">): boolean =>
  basis !== "none" && !(basis === "estimate" && savingsUsd > 0)

export const noBills: BilledSums = {
  n: 0, billedUsd: 0, recommendedUsd: 0, premiumUsd: 0, nDeclared: 0, declaredUsd: 0, billedOfDeclaredUsd: 0
}

export const noSavings: Omit<SavingsSums, "billed" | "outliers" | "reasonerUsd"> = {
  n: 0, nFeedback: 0, nLate: 0, nEscalated: 0, nExplored: 0, nEpsilon: 0, nFollowed: 0, nListed: 0,
  listedUsd: 0, recommendedUsd: 0, premiumUsd: 0, nDeclared: 0, declaredUsd: 0, recommendedOfDeclaredUsd: 0
}

const billedNames = Object.keys(noBills) as Array<keyof BilledSums>
const plainNames = Object.keys(noSavings) as Array<keyof typeof noSavings>

const addedUp = <Name extends string>(
  names: ReadonlyArray<Name>,
  parts: ReadonlyArray<Readonly<Record<NoInfer<Name>, number>>>
): Readonly<Record<Name, number>> => {
  const whole: Partial<Record<Name, number>> = {}
  // Counts are rounded like amounts in USD, which leaves whole numbers unchanged.
  for (const name of names) {
    whole[name] = Rounding.usd(parts.reduce<number>((total, part) => total + part[name], 0))
  }
  return whole as Record<Name, number> // Every name has been set.
}

/** Rounds the sums as they are sent, so that a caller computes the same totals and differences. */
const asSent = (sums: SavingsSums): SavingsSums => ({
  ...sums,
  ...addedUp(plainNames, [sums]),
  billed: addedUp(billedNames, [sums.billed]),
  outliers: addedUp(billedNames, [sums.outliers]),
  reasonerUsd: sums.reasonerUsd === null ? null : Rounding.usd(sums.reasonerUsd)
})

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

/** Returns the cost of the calls: by their bills, or at list prices if only the tokens are known. */
const spendOf = ({ billed, listedUsd, nFeedback, nListed }: SavingsSums): SavingsSummary["spend"] => ({
  costUsd: Rounding.usd(billed.billedUsd + listedUsd),
  billedUsd: billed.billedUsd,
  nBilled: billed.n,
  listPricesUsd: listedUsd,
  nListPrices: nListed,
  coverage: nFeedback === 0 ? null : Rounding.figure((billed.n + nListed) / nFeedback)
})

/** Subtracts outliers from billed sums, down to 0, so that a rounding error makes no cost negative. */
const withoutOutliers = ({ billed, outliers }: SavingsSums): BilledSums => {
  const rest = { ...billed }
  for (const name of billedNames) {
    rest[name] = Math.max(0, billed[name] - outliers[name])
  }
  return rest
}

/**
 * Makes three views on savings, which are never added together. `estimated` covers every decision. `realized`
 * covers decisions with a bill, and compares the bills with the baselines' estimates. `followed` covers
 * decisions whose recommended model ran, and compares their costs with scaled estimates of the declared
 * baselines.
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
  spend: spendOf(sums),
  reasonerCostUsd: sums.reasonerUsd,
  nCostOutliers: sums.outliers.n,
  costOutliersUsd: sums.outliers.billedUsd,
  realizedWithoutOutliers: sums.outliers.n === 0 ? null : realizedOf(withoutOutliers(sums)),
  followed
})

/** Adds costs per call to the comparison of success: by bills, or else at list prices. */
export const comparisonOf = (
  quality: QualityEstimate | null,
  { estimated, followed }: SavingsSummary
): SavingsComparison | null => {
  if (quality === null) return null
  const known = [followed, followed?.listPrices ?? null].find((each) => each !== null && isKnown(each))
  return {
    ...quality,
    lacks: quality.n === 0 && estimated.nDeclared === 0 ? "baseline" : quality.lacks,
    costPerCallUsd: known == null ? null : Rounding.usd(known.costUsd / known.n),
    baselineCostPerCallUsd: known == null ? null : Rounding.usd(known.costBaselineUsd / known.n)
  }
}

/** A day is the UTC day of the decision, such as `2026-11-21`. */
export type SavingsKey = GroupBy | "day"

/** A key of users or tags is an array, each of whose members names a group. */
const namesOf = (groupBy: SavingsKey, key: string): ReadonlyArray<string> => {
  if (groupBy !== "tag" && groupBy !== "user_id") return [groupBy === "model" ? variantName(key) : key]
  const labels = JSON.parse(key) as ReadonlyArray<string>
  return labels.length === 0 ? [""] : labels
}

/**
 * Returns the savings compared with the dearest candidate and with the declared baseline, USD; negative if
 * the recommendations cost more.
 */
export const savingsOf = (
  { costs, followed, groups: found }: SavingsFigures,
  groupBy: SavingsKey | null
): Pick<SavingsResponse, "summary" | "health" | "groups"> => {
  const groups = found.map(({ key, sums }) => ({ key, sums: asSent(sums) }))
  const followedBy = new Map(followed.map(({ key, sums }) => [key, sums]))
  const named = groupBy === null ? [] : groups.flatMap((group) =>
    namesOf(groupBy, group.key).map((name) => ({ ...group, name })))
  const costsOf = bySource((source) => unrunBills(costs[source]))
  const reportOf = (sums: SavingsSums, ofFollowed: BySource<FollowedSums>) =>
    ({ summary: summaryOf(sums, followedSavings(ofFollowed, costsOf, sums)), health: healthOf(sums) })
  return {
    ...reportOf(wholeOf(groups.map(({ sums }) => sums)), wholeFollowed(followed.map(({ sums }) => sums))),
    groups: [...Map.groupBy(named, ({ name }) => name)]
      .toSorted(([one], [other]) => Order.String(one, other))
      .map(([key, members]) => ({
        key,
        comparison: null,
        ...reportOf(
          wholeOf(members.map(({ sums }) => sums)),
          wholeFollowed(members.flatMap((member) => followedBy.get(member.key) ?? []))
        )
      }))
  }
}

/** Days without a decision are left out. */
export const savingsByDayOf = (days: SavingsFigures): DashboardResponse["savingsByDay"] =>
  savingsOf(days, "day").groups.map(({ key, summary }) => ({ day: key, summary }))
