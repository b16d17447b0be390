/* What following the advice saved by the bills: against the model that the caller would have used. */
import type { Decision, LedgerRow } from "../domain/Decision.ts"
import type { FollowedSavings } from "../domain/FollowedSavings.ts"
import { isBroken } from "../domain/ReportPrecedence.ts"
import * as Rounding from "../domain/Rounding.ts"
import { type BilledCell, type Unrun, type unrunBills, type UnrunCell } from "../stats/BillRatio.ts"
import * as Groups from "../stats/GroupBy.ts"
import type { FollowedSums } from "./Aggregates.ts"

/**
 * Bills up to this, USD, count as 0 beside their estimates, and estimates up to it are no measure of a bill:
 * squares of what is above stay in the range of a database.
 */
export const usdMin = 1e-12

/** A row with a bill that can be believed, of a call that the infrastructure did not break. */
interface BilledRow {
  readonly decision: LedgerRow["decision"]
  readonly modelId: string
  readonly billUsd: number
}

export const billedIn = (
  rows: ReadonlyArray<LedgerRow>,
  outliers: ReadonlySet<LedgerRow>
): ReadonlyArray<BilledRow> =>
  rows.flatMap((row) => {
    const { decision, feedback } = row
    const billUsd = feedback?.actualCostUsd ?? null
    if (feedback === null || billUsd === null || outliers.has(row) || isBroken(feedback)) return []
    return [{ decision, modelId: feedback.chosenModelId, billUsd }]
  })

/**
 * What the model that ran was estimated to cost, USD; null where the decision kept no estimate for it, or
 * next to none: of the pick and of the declared baseline it is a column, of other candidates not.
 */
export const estimateOf = ({ decision, modelId }: BilledRow): number | null => {
  const { baselineModelId, costDeclaredUsd, costRecommendedUsd, recommendedModelId }: Pick<
    Decision, "baselineModelId" | "costDeclaredUsd" | "costRecommendedUsd" | "recommendedModelId"
  > = decision
  const estimate = modelId === recommendedModelId
    ? costRecommendedUsd
    : modelId === baselineModelId ? costDeclaredUsd : null
  return estimate !== null && estimate > usdMin ? estimate : null
}

export const byModelAndCluster = <A>(
  all: ReadonlyArray<A>,
  of: (each: A) => { readonly model: string; readonly cluster: string }
) =>
  [...Groups.groupBy(all, (each) => JSON.stringify([of(each).model, of(each).cluster])).values()]
    .map((members) => ({ ...of(members[0]!), members }))

export const sum = <A>(all: ReadonlyArray<A>, of: (each: A) => number): number =>
  all.reduce((total, each) => total + of(each), 0)

/** The bills of each model and cluster beside their estimates, over a whole window. */
export const billedCells = (
  rows: ReadonlyArray<LedgerRow>,
  outliers: ReadonlySet<LedgerRow>
): ReadonlyArray<BilledCell> => {
  const bills = billedIn(rows, outliers).flatMap((row) => {
    const estimate = estimateOf(row)
    const bill = row.billUsd > usdMin ? row.billUsd : 0
    return estimate === null
      ? []
      : [{ model: row.modelId, cluster: row.decision.cluster, estimate, bill, ratio: bill / estimate }]
  })
  return byModelAndCluster(bills, ({ cluster, model }) => ({ model, cluster }))
    .map(({ members, ...cell }) => {
      const positive = members.filter(({ ratio }) => ratio > 0)
      return {
        ...cell,
        n: members.length,
        estimates: sum(members, ({ estimate }) => estimate),
        squaredEstimates: sum(members, ({ estimate }) => estimate ** 2),
        bills: sum(members, ({ bill }) => bill),
        squaredBills: sum(members, ({ bill }) => bill ** 2),
        products: sum(members, ({ bill, estimate }) => bill * estimate),
        ratios: sum(members, ({ ratio }) => ratio),
        squaredRatios: sum(members, ({ ratio }) => ratio ** 2),
        positive: positive.length,
        logs: sum(positive, ({ ratio }) => Math.log(ratio)),
        squaredLogs: sum(positive, ({ ratio }) => Math.log(ratio) ** 2)
      }
    })
}

/** The sums over followed decisions with a bill and a declared baseline. */
export const followedSums = (
  rows: ReadonlyArray<LedgerRow>,
  outliers: ReadonlySet<LedgerRow>
): FollowedSums => {
  const own = billedIn(rows, outliers).flatMap(({ billUsd, decision, modelId }) => {
    const { baselineModelId, cluster, costDeclaredUsd, recommendedModelId } = decision
    return modelId === recommendedModelId && costDeclaredUsd !== null && baselineModelId !== null
      ? [{ baselineModelId, cluster, costDeclaredUsd, isSame: modelId === baselineModelId, billUsd }]
      : []
  })
  const [same, others] = [own.filter(({ isSame }) => isSame), own.filter(({ isSame }) => !isSame)]
  const cells = byModelAndCluster(others, ({ baselineModelId: model, cluster }) => ({ model, cluster }))
  return {
    nSame: same.length,
    sameUsd: sum(same, ({ billUsd }) => billUsd),
    billedUsd: sum(others, ({ billUsd }) => billUsd),
    unrun: cells.map(({ cluster, members, model }) => ({
      model,
      cluster,
      n: members.length,
      estimates: sum(members, ({ costDeclaredUsd }) => costDeclaredUsd),
      squaredEstimates: sum(members, ({ costDeclaredUsd }) =>
        costDeclaredUsd > usdMin ? costDeclaredUsd ** 2 : 0)
    }))
  }
}

const mergedCells = (cells: ReadonlyArray<UnrunCell>): ReadonlyArray<UnrunCell> =>
  byModelAndCluster(cells, (cell) => cell).map(({ cluster, members, model }) => ({
    model,
    cluster,
    n: sum(members, ({ n }) => n),
    estimates: sum(members, ({ estimates }) => estimates),
    squaredEstimates: sum(members, ({ squaredEstimates }) => squaredEstimates)
  }))

/** The sums of several groups that share no decision. */
export const wholeFollowed = (groups: ReadonlyArray<FollowedSums>): FollowedSums => ({
  nSame: sum(groups, ({ nSame }) => nSame),
  sameUsd: sum(groups, ({ sameUsd }) => sameUsd),
  billedUsd: sum(groups, ({ billedUsd }) => billedUsd),
  unrun: mergedCells(groups.flatMap(({ unrun }) => unrun))
})

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
 * What the followed decisions saved, with a 95 % interval. Where the model that ran is the baseline, nothing
 * was saved and nothing is estimated. Elsewhere the baseline's estimate is scaled by its own bills.
 *
 * @param billsOf by the bills of the window, what calls that did not run would have been billed
 * @param nFollowed decisions whose model that ran was the pick, of `nFeedback` that have feedback
 */
export const followedSavings = (
  sums: FollowedSums,
  billsOf: ReturnType<typeof unrunBills>,
  { nFeedback, nFollowed }: { readonly nFeedback: number; readonly nFollowed: number }
): FollowedSavings => {
  const nUnrun = sum(sums.unrun, ({ n }) => n)
  const n = sums.nSame + nUnrun
  const estimateUsd = sum(sums.unrun, ({ estimates }) => estimates)
  const unrun = billsOf(sums.unrun)
  const { bills: nBaselineBills, high, low, usd } = unrun
  const basis = basisOf(n, nUnrun, unrun)
  const isExact = basis === "same_model"
  const hasInterval = !Number.isNaN(low)
  // Rounded as they are sent, so that their difference is the one that a caller computes.
  const costUsd = Rounding.usd(sums.sameUsd + sums.billedUsd)
  const costBaselineUsd = Rounding.usd(sums.sameUsd + usd)
  return {
    nFollowed,
    followedShare: nFeedback === 0 ? null : nFollowed / nFeedback,
    n,
    nSameModel: sums.nSame,
    costUsd,
    costBaselineUsd,
    savingsUsd: costBaselineUsd - costUsd,
    savingsLowUsd: isExact ? 0 : hasInterval ? low - sums.billedUsd : null,
    savingsHighUsd: isExact ? 0 : hasInterval ? high - sums.billedUsd : null,
    basis,
    billToEstimateRatio: estimateUsd > 0 ? usd / estimateUsd : null,
    nBaselineBills
  }
}
