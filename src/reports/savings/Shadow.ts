/* The report on decisions in shadow: the costs of the recommended models, and of the models that ran. */
import * as Rounding from "../../domain/Rounding.ts"
import type { ShadowReport } from "../../domain/reports/ShadowReport.ts"
import { unrunBills } from "../../stats/BillRatio.ts"
import * as Wilson from "../../stats/Wilson.ts"
import type { ShadowSums } from "./SavingsSums.ts"
import { basisOf, sum } from "./Followed.ts"

export const noShadow: ShadowSums = {
  n: 0, lanes: [], nFeedback: 0, nOutcomes: 0, successes: 0, nSame: 0, sameUsd: 0, billedUsd: 0, picks: [],
  bills: []
}

/**
 * The estimate of a recommended model is scaled by the ratio of its own bills to its estimates, as in
 * `followedSavings`. If the recommended model has no bills, the ratio of bill to estimate of the model that
 * ran is used.
 */
export const shadowOf = (sums: ShadowSums): ShadowReport | null => {
  if (sums.n === 0) return null
  const nUnrun = sum(sums.picks, ({ n }) => n)
  const nBilled = sums.nSame + nUnrun
  const picked = unrunBills(sums.bills)(sums.picks)
  const basis = basisOf(nBilled, nUnrun, picked)
  const costUsd = Rounding.usd(sums.sameUsd + sums.billedUsd)
  const costFollowedUsd = Rounding.usd(sums.sameUsd + picked.usd)
  const [low, high] = basis === "same_model"
    ? [0, 0]
    : Number.isNaN(picked.low) ? [null, null] : [sums.billedUsd - picked.high, sums.billedUsd - picked.low]
  const successRate = sums.nOutcomes === 0 ? null : sums.successes / sums.nOutcomes
  const interval = successRate === null ? null : Wilson.interval95(successRate, sums.nOutcomes)
  return {
    n: sums.n,
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
