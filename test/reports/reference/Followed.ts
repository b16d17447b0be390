/* The reference of what followed decisions cost, and of the costs of each model beside its estimates. */
import type { Decision, LedgerRow } from "../../../src/domain/Decision.ts"
import type { CostSource } from "../../../src/domain/feedback/Feedback.ts"
import { costSourceOf, isBroken } from "../../../src/domain/feedback/FeedbackPrecedence.ts"
import type { FollowedSums } from "../../../src/reports/savings/SavingsSums.ts"
import { byCell, sum, usdMin } from "../../../src/reports/savings/Followed.ts"
import type { BilledCell } from "../../../src/stats/BillRatio.ts"

/** An amount, USD, of which next to nothing counts as 0. */
export const countedUsd = (usd: number): number => usd > usdMin ? usd : 0

/** A row with a cost that can be believed, of a call that the infrastructure did not break. */
interface CostedRow {
  readonly decision: LedgerRow["decision"]
  readonly modelId: string
  readonly costUsd: number
}

/** What a feedback says that its call cost, USD: its bill, or without one its tokens at list prices. */
export const costOf = (feedback: LedgerRow["feedback"]): number | null =>
  feedback?.actualCostUsd ?? feedback?.computedCostUsd ?? null

/** The rows whose cost is of that source. */
export const costedIn = (
  rows: ReadonlyArray<LedgerRow>,
  outliers: ReadonlySet<LedgerRow>,
  source: CostSource
): ReadonlyArray<CostedRow> =>
  rows.flatMap((row) => {
    const { decision, feedback } = row
    const costUsd = costOf(feedback)
    if (feedback === null || costUsd === null || costSourceOf(feedback) !== source) return []
    if (outliers.has(row) || isBroken(feedback)) return []
    return [{ decision, modelId: feedback.chosenModelId, costUsd }]
  })

/**
 * What the model that ran was estimated to cost, USD; null where the decision kept no estimate for it, or
 * next to none: of the pick and of the declared baseline it is a column, of other candidates not.
 */
export const estimateOf = ({ decision, modelId }: CostedRow): number | null => {
  const { baselineModelId, costDeclaredUsd, costRecommendedUsd, recommendedModelId }: Pick<
    Decision, "baselineModelId" | "costDeclaredUsd" | "costRecommendedUsd" | "recommendedModelId"
  > = decision
  const estimate = modelId === recommendedModelId
    ? costRecommendedUsd
    : modelId === baselineModelId ? costDeclaredUsd : null
  return estimate !== null && estimate > usdMin ? estimate : null
}

/** The month of a decision, as months since the year 0, UTC. */
export const monthOf = ({ createdAt }: Pick<Decision, "createdAt">): number =>
  createdAt.getUTCFullYear() * 12 + createdAt.getUTCMonth() + 1

/** The costs of each model, cluster and month beside their estimates. */
export const costCells = (rows: ReadonlyArray<CostedRow>): ReadonlyArray<BilledCell> => {
  const bills = rows.flatMap((row) => {
    const estimate = estimateOf(row)
    const bill = countedUsd(row.costUsd)
    return estimate === null
      ? []
      : [{
        model: row.modelId, cluster: row.decision.cluster, month: monthOf(row.decision), estimate, bill,
        ratio: bill / estimate
      }]
  })
  return byCell(bills, ({ cluster, model, month }) => ({ model, cluster, month }))
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

/** Rows without a cost of that source, or of bills, whose calls the infrastructure did not break. */
const missingIn = (rows: ReadonlyArray<LedgerRow>, source: CostSource): ReadonlyArray<CostedRow> =>
  rows.flatMap(({ decision, feedback }) =>
    feedback === null || isBroken(feedback) || feedback.actualCostUsd !== null
      || source === "computed" && costOf(feedback) !== null
      ? []
      : [{ decision, modelId: feedback.chosenModelId, costUsd: 0 }])

/** The sums over those of the rows that followed the advice and declared a baseline. */
export const followedSums = (
  all: ReadonlyArray<LedgerRow>,
  outliers: ReadonlySet<LedgerRow>,
  source: CostSource
): FollowedSums => {
  // An outlier at list prices is no bill, and not to be believed: it is in neither.
  const missing = sumsOver(missingIn(all.filter((row) => !outliers.has(row)), source), () => 1)
  const { nSame, unrun } = missing
  return {
    ...sumsOver(costedIn(all, outliers, source)), missing: unrun, nMissing: nSame + sum(unrun, ({ n }) => n)
  }
}

/** By `share`, how much of the baseline's cost counts at a further attempt, or at a first one. */
const sumsOver = (rows: ReadonlyArray<CostedRow>, share = (isFurther: boolean) => isFurther ? 0 : 1): Omit<FollowedSums, "missing" | "nMissing"> => {
  const own = rows.flatMap(({ costUsd, decision, modelId }) => {
    const { attemptNumber, baselineModelId, cluster, recommendedModelId } = decision
    const month = monthOf(decision)
    if (modelId !== recommendedModelId || decision.costDeclaredUsd === null || baselineModelId === null) return []
    // The baseline alone would have run once at the task.
    const isFurther = (attemptNumber ?? 1) > 1
    const costDeclaredUsd = share(isFurther) * decision.costDeclaredUsd
    return [{ baselineModelId, cluster, month, costDeclaredUsd, isSame: !isFurther && modelId === baselineModelId, costUsd }]
  })
  const [same, others] = [own.filter(({ isSame }) => isSame), own.filter(({ isSame }) => !isSame)]
  const cells = byCell(others, ({ baselineModelId: model, cluster, month }) => ({ model, cluster, month }))
  return {
    nSame: same.length,
    sameUsd: sum(same, ({ costUsd }) => costUsd),
    costUsd: sum(others, ({ costUsd }) => costUsd),
    unrun: cells.map(({ members, ...cell }) => ({
      ...cell,
      n: members.length,
      estimates: sum(members, ({ costDeclaredUsd }) => costDeclaredUsd),
      squaredEstimates: sum(members, ({ costDeclaredUsd }) => countedUsd(costDeclaredUsd) ** 2)
    }))
  }
}
