/* The reference of what decisions in shadow say. */
import { Order } from "effect"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import type { ShadowSums } from "../../../src/reports/savings/SavingsSums.ts"
import { byCell, sum } from "../../../src/reports/savings/Followed.ts"
import { noShadow } from "../../../src/reports/savings/Shadow.ts"
import { costCells, costedIn, countedUsd, estimateOf, monthOf } from "./Followed.ts"
import { isReconciled, successOf } from "./Reconciled.ts"

/** The sums behind {@link shadowOf}; `all`, `isOwn` and `outliers` are as in {@link overviewSums}. */
export const shadowSums = (
  all: ReadonlyArray<LedgerRow>,
  outliers: ReadonlySet<LedgerRow>,
  isOwn: (row: LedgerRow) => boolean = () => true
): ShadowSums => {
  const own = all.filter((row) => row.decision.isShadow && isOwn(row))
  if (own.length === 0) return noShadow
  const reported = own.filter(isReconciled)
  const taught = reported.filter(({ feedback }) => feedback.teaches)
  const billed = costedIn(own, outliers, "reported").map((row) => ({
    ...row, model: row.decision.recommendedModelId, cluster: row.decision.cluster, month: monthOf(row.decision),
    estimateUsd: row.decision.costRecommendedUsd
  }))
  const same = billed.filter(({ model, modelId }) => model === modelId)
  const others = billed.filter(({ model, modelId }) => model !== modelId)
  return {
    n: own.length,
    lanes: [...Map.groupBy(own, ({ decision }) => decision.lane)]
      .map(([lane, members]) => ({ lane, n: members.length }))
      .sort((one, other) => Order.String(one.lane, other.lane)),
    nFeedback: reported.length,
    nOutcomes: taught.length,
    successes: sum(taught, ({ feedback }) => successOf(feedback.outcome)),
    nSame: same.length,
    sameUsd: sum(same, ({ costUsd }) => costUsd),
    billedUsd: sum(others, ({ costUsd }) => costUsd),
    picks: byCell(others, ({ cluster, model, month }) => ({ model, cluster, month })).map(
      ({ members, ...cell }) => ({
        ...cell,
        n: members.length,
        estimates: sum(members, ({ estimateUsd }) => estimateUsd),
        squaredEstimates: sum(members, ({ estimateUsd }) => countedUsd(estimateUsd) ** 2),
        scaledUsd: sum(members, (row) => {
          const ran = estimateOf(row)
          return countedUsd(row.estimateUsd) * (ran === null ? 1 : countedUsd(row.costUsd) / ran)
        })
      })
    ),
    bills: costCells(costedIn(all, outliers, "reported"))
  }
}
