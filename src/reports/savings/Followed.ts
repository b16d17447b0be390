/* The savings of followed advice compared with the baseline, by bills and at list prices. */
import type { CostSource } from "../../domain/feedback/Feedback.ts"
import type { FollowedSavings } from "../../domain/reports/FollowedSavings.ts"
import * as Rounding from "../../domain/Rounding.ts"
import type { Unrun, unrunBills, UnrunCell } from "../../stats/BillRatio.ts"
import type { BySource, FollowedSums } from "./SavingsSums.ts"

/**
 * Smallest amount in a ratio of costs, USD. A cost up to `usdMin` is taken as 0, and an estimate up to it is
 * not used. The squares of tiny amounts would leave the range of a database's numbers.
 */
export const usdMin = 1e-12

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

const mergedSums = (groups: ReadonlyArray<FollowedSums>): FollowedSums => ({
  nSame: sum(groups, ({ nSame }) => nSame),
  sameUsd: sum(groups, ({ sameUsd }) => sameUsd),
  costUsd: sum(groups, ({ costUsd }) => costUsd),
  unrun: mergedCells(groups.flatMap(({ unrun }) => unrun)),
  nMissing: sum(groups, ({ nMissing }) => nMissing),
  missing: mergedCells(groups.flatMap(({ missing }) => missing))
})

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
 * Returns the saving of followed decisions whose cost has one source, with a 95 % interval. A first attempt
 * that the baseline ran saved exactly nothing. For a first attempt by another model, the baseline's estimate
 * is scaled by the ratio of the baseline's own costs to its estimates. A saving is significant if its
 * interval keeps one sign, whether missing costs are taken as 0 or as twice the baseline's cost.
 * @param costsOf returns the expected cost of calls that did not run, from known costs of the model
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
  // Cost and baseline cost are rounded as they are sent, so that a caller computes the same saving.
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
      // Comparisons with NaN are false, so an unknown interval is not significant.
      isSignificant: !isExact && (low - sums.costUsd > missingUsd || high - sums.costUsd < -missingUsd)
    }
  }
}

/**
 * Returns the savings of followed decisions, by bills and separately at list prices.
 * @param nFollowed number of decisions for which the recommended model ran, among the `nFeedback` decisions
 * with feedback
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
