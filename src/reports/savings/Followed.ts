/* The savings of followed advice against the baseline, by bills and at list prices. */
import type { CostSource } from "../../domain/feedback/Feedback.ts"
import type { FollowedSavings } from "../../domain/reports/FollowedSavings.ts"
import * as Rounding from "../../domain/Rounding.ts"
import type { Unrun, unrunBills, UnrunCell } from "../../stats/BillRatio.ts"
import type { BySource, FollowedSums } from "./SavingsSums.ts"

/**
 * Costs up to this, USD, count as 0 beside their estimates, and estimates up to it are no measure of a cost:
 * squares of what is above stay in the range of a database.
 */
export const usdMin = 1e-12

/** The keys by which bills and calls are summed. */
type CellName = Pick<UnrunCell, "cluster" | "model" | "month">

export const byCell = <A>(all: ReadonlyArray<A>, of: (each: A) => CellName) =>
  [...Map.groupBy(all, (each) => {
    const { cluster, model, month } = of(each)
    return JSON.stringify([model, cluster, month])
  }).values()].map((members) => ({ ...of(members[0]!), members }))

export const sum = <A>(all: ReadonlyArray<A>, of: (each: A) => number): number =>
  all.reduce((total, each) => total + of(each), 0)

const mergedCells = (cells: ReadonlyArray<UnrunCell>): ReadonlyArray<UnrunCell> =>
  byCell(cells, ({ cluster, model, month }) => ({ model, cluster, month })).map(({ members, ...cell }) => ({
    ...cell,
    n: sum(members, ({ n }) => n),
    estimates: sum(members, ({ estimates }) => estimates),
    squaredEstimates: sum(members, ({ squaredEstimates }) => squaredEstimates)
  }))

/** The sums of several groups that share no decision. */
const mergedSums = (groups: ReadonlyArray<FollowedSums>): FollowedSums => ({
  nSame: sum(groups, ({ nSame }) => nSame),
  sameUsd: sum(groups, ({ sameUsd }) => sameUsd),
  costUsd: sum(groups, ({ costUsd }) => costUsd),
  unrun: mergedCells(groups.flatMap(({ unrun }) => unrun)),
  nMissing: sum(groups, ({ nMissing }) => nMissing),
  missing: mergedCells(groups.flatMap(({ missing }) => missing))
})

/** A value for each source of costs. */
export const bySource = <A>(of: (source: CostSource) => A): BySource<A> =>
  ({ reported: of("reported"), computed: of("computed") })

export const wholeFollowed = (
  groups: ReadonlyArray<BySource<FollowedSums>>
): BySource<FollowedSums> =>
  bySource((source) => mergedSums(groups.map((each) => each[source])))

export const basisOf = (
  n: number,
  nUnrun: number,
  { bills, unbilledUsd }: Unrun
): FollowedSavings["basis"] => {
  if (n === 0) return "none"
  if (nUnrun === 0) return "same_model"
  if (bills === 0) return "estimate"
  return unbilledUsd > 0 ? "partly_estimate" : "bills"
}

/**
 * What followed decisions with a cost of one source saved, with a 95 % interval. Where the model that ran
 * is the baseline, nothing was saved and nothing is estimated. Otherwise the baseline's estimate is scaled by
 * its own costs of that source. A saving is significant only if it would be with each decision that lacks a
 * cost at nothing, the least that it can be, or at twice its baseline's, which is as far above that.
 *
 * @param costsOf by the costs of their months, what calls that did not run would have cost
 */
const savedBy = (sums: FollowedSums, costsOf: ReturnType<typeof unrunBills>) => {
  const nUnrun = sum(sums.unrun, ({ n }) => n)
  const n = sums.nSame + nUnrun
  const estimateUsd = sum(sums.unrun, ({ estimates }) => estimates)
  const unrun = costsOf(sums.unrun)
  const { bills: nBaseline, high, low, usd } = unrun
  const basis = basisOf(n, nUnrun, unrun)
  const isExact = basis === "same_model"
  const hasInterval = !Number.isNaN(low)
  const missingUsd = costsOf(sums.missing).usd
  // Rounded as they are sent, so that their difference is the one that a caller computes.
  const costUsd = Rounding.usd(sums.sameUsd + sums.costUsd)
  const costBaselineUsd = Rounding.usd(sums.sameUsd + usd)
  return {
    ratio: estimateUsd > 0 ? usd / estimateUsd : null,
    nBaseline,
    saved: {
      n,
      nSameModel: sums.nSame,
      costUsd,
      costBaselineUsd,
      savingsUsd: costBaselineUsd - costUsd,
      savingsLowUsd: isExact ? 0 : hasInterval ? low - sums.costUsd : null,
      savingsHighUsd: isExact ? 0 : hasInterval ? high - sums.costUsd : null,
      basis,
      nMissing: sums.nMissing,
      // Comparisons with NaN are false.
      isSignificant: !isExact && (low - sums.costUsd > missingUsd || high - sums.costUsd < -missingUsd)
    }
  }
}

/**
 * The savings of followed decisions: by the bills, and separately at list prices.
 *
 * @param costsOf by the costs of their months, what calls that did not run would have cost
 * @param nFollowed decisions whose model that ran was the pick, of `nFeedback` that have feedback
 */
export const followedSavings = (
  sums: BySource<FollowedSums>,
  costsOf: BySource<ReturnType<typeof unrunBills>>,
  { nFeedback, nFollowed }: { readonly nFeedback: number; readonly nFollowed: number }
): FollowedSavings => {
  const billed = savedBy(sums.reported, costsOf.reported)
  const listed = savedBy(sums.computed, costsOf.computed)
  return {
    nFollowed,
    followedShare: nFeedback === 0 ? null : nFollowed / nFeedback,
    ...billed.saved,
    billToEstimateRatio: billed.ratio,
    nBaselineBills: billed.nBaseline,
    listPrices: { ...listed.saved, costToEstimateRatio: listed.ratio, nBaselineCosts: listed.nBaseline }
  }
}
