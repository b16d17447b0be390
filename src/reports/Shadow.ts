/* What decisions in shadow say: what the recommended models would have cost in place of those that ran. */
import { Order } from "effect"
import type { LedgerRow } from "../domain/Decision.ts"
import * as Rounding from "../domain/Rounding.ts"
import type { ShadowReport } from "../domain/ShadowReport.ts"
import { unrunBills } from "../stats/BillRatio.ts"
import * as Groups from "../stats/GroupBy.ts"
import * as Wilson from "../stats/Wilson.ts"
import type { PickCell, ShadowSums } from "./Aggregates.ts"
import { basisOf, byModelAndCluster, costCells, costedIn, countedUsd, estimateOf, sum } from "./Followed.ts"
import { isReconciled, successOf } from "./Reconciled.ts"

/** The sums of no decision. */
export const noShadow: ShadowSums = {
  lanes: [], nFeedback: 0, nOutcomes: 0, successes: 0, nSame: 0, sameUsd: 0, billedUsd: 0, picks: [],
  bills: []
}

/** The sums behind {@link shadowOf}; `outliers` are the unconfirmed ones among all rows of the window. */
export const shadowSums = (
  rows: ReadonlyArray<LedgerRow>,
  outliers: ReadonlySet<LedgerRow>
): ShadowSums => {
  const own = rows.filter(({ decision }) => decision.isShadow)
  if (own.length === 0) return noShadow
  const reported = own.filter(isReconciled)
  const taught = reported.filter(({ feedback }) => feedback.teaches)
  const billed = costedIn(own, outliers, "reported").map((row) => ({
    ...row, model: row.decision.recommendedModelId, cluster: row.decision.cluster,
    estimateUsd: row.decision.costRecommendedUsd
  }))
  const same = billed.filter(({ model, modelId }) => model === modelId)
  const others = billed.filter(({ model, modelId }) => model !== modelId)
  return {
    lanes: [...Groups.groupBy(own, ({ decision }) => decision.lane)]
      .map(([lane, members]) => ({ lane, n: members.length }))
      .sort((one, other) => Order.String(one.lane, other.lane)),
    nFeedback: reported.length,
    nOutcomes: taught.length,
    successes: sum(taught, ({ feedback }) => successOf(feedback.outcome)),
    nSame: same.length,
    sameUsd: sum(same, ({ costUsd }) => costUsd),
    billedUsd: sum(others, ({ costUsd }) => costUsd),
    picks: byModelAndCluster(others, ({ cluster, model }) => ({ model, cluster })).map(
      ({ cluster, members, model }) => ({
        model,
        cluster,
        n: members.length,
        estimates: sum(members, ({ estimateUsd }) => estimateUsd),
        squaredEstimates: sum(members, ({ estimateUsd }) => countedUsd(estimateUsd) ** 2),
        scaledUsd: sum(members, (row) => {
          const ran = estimateOf(row)
          return countedUsd(row.estimateUsd) * (ran === null ? 1 : countedUsd(row.costUsd) / ran)
        })
      })
    ),
    bills: costCells(costedIn(rows, outliers, "reported"))
  }
}

/** What the picks that did not run would have been billed, in US dollars, with a 95 % interval. */
const pickedUsd = ({ bills, picks }: Pick<ShadowSums, "bills" | "picks">) => {
  const unrun = unrunBills(bills)(picks)
  const billedModels = new Set(bills.map(({ model }) => model))
  const scaled = (cells: ReadonlyArray<PickCell>) =>
    sum(cells.filter(({ model }) => !billedModels.has(model)), ({ scaledUsd }) => scaledUsd)
  return { ...unrun, usd: unrun.usd - unrun.unbilledUsd + scaled(picks) }
}

/**
 * The report on decisions in shadow; null without any. A pick's estimate is scaled by its own bills, as the
 * baseline's is in `followedSavings`. A pick without bills is scaled by the bill of the model that ran over
 * the estimate of it: a task that cost twice what was expected with one model does so with another, and an
 * unscaled estimate would pass for a saving.
 */
export const shadowOf = (sums: ShadowSums): ShadowReport | null => {
  if (sums.lanes.length === 0) return null
  const nUnrun = sum(sums.picks, ({ n }) => n)
  const nBilled = sums.nSame + nUnrun
  const picked = pickedUsd(sums)
  const basis = basisOf(nBilled, nUnrun, picked)
  const costUsd = Rounding.usd(sums.sameUsd + sums.billedUsd)
  const costFollowedUsd = Rounding.usd(sums.sameUsd + picked.usd)
  const [low, high] = basis === "same_model"
    ? [0, 0]
    : Number.isNaN(picked.low) ? [null, null] : [sums.billedUsd - picked.high, sums.billedUsd - picked.low]
  const successRate = sums.nOutcomes === 0 ? null : sums.successes / sums.nOutcomes
  const interval = successRate === null ? null : Wilson.interval95(successRate, sums.nOutcomes)
  return {
    n: sum(sums.lanes, ({ n }) => n),
    nFeedback: sums.nFeedback,
    nBilled,
    nSameModel: sums.nSame,
    costUsd,
    costFollowedUsd,
    differenceUsd: costUsd - costFollowedUsd,
    differenceLowUsd: low,
    differenceHighUsd: high,
    basis,
    nOutcomes: sums.nOutcomes,
    successRate,
    successLow: interval?.low ?? null,
    successHigh: interval?.high ?? null,
    lanes: sums.lanes
  }
}
