/* The reference of the savings report: the sums behind it, over rows of the ledger. */
import { confirmed, isCostOutlier } from "../../../src/domain/CostOutlier.ts"
import type { Decision, LedgerRow } from "../../../src/domain/Decision.ts"
import type { GroupBy, SavingsResponse } from "../../../src/domain/reports/Report.ts"
import { costSourceOf } from "../../../src/domain/feedback/FeedbackPrecedence.ts"
import type { BilledSums, SavingsFigures, SavingsSums } from "../../../src/reports/savings/SavingsSums.ts"
import { bySource } from "../../../src/reports/savings/Followed.ts"
import { noBills, noSavings, type SavingsKey, savingsOf } from "../../../src/reports/savings/Savings.ts"
import { costCells, costedIn, costOf, followedSums, monthOf } from "./Followed.ts"
import { healthSums } from "./Health.ts"
import { isReconciled, type ReconciledRow } from "./Reconciled.ts"

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
 * Rows whose cost is far above every estimate, unless another cost of the same source, model, cluster and
 * month is near it.
 */
export const outliersIn = (rows: ReadonlyArray<LedgerRow>): ReadonlySet<LedgerRow> => {
  const costed = rows.filter(isReconciled).filter(({ feedback }) => costOf(feedback) !== null)
  const isFar = ({ decision, feedback }: ReconciledRow) =>
    isCostOutlier(costOf(feedback), decision.costPremiumUsd)
  const outliers = new Set<LedgerRow>()
  if (!costed.some(isFar)) return outliers
  const cells = Map.groupBy(costed, ({ decision, feedback }) =>
    JSON.stringify([monthOf(decision), costSourceOf(feedback), decision.cluster, feedback.chosenModelId]))
  for (const cell of cells.values()) {
    const isConfirmed = confirmed(cell.map(({ feedback }) => costOf(feedback) ?? 0))
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
    if (billUsd === null) {
      const listedUsd = feedback?.computedCostUsd ?? null
      if (listedUsd === null) continue
      sums.nListed += 1
      sums.listedUsd += listedUsd
      continue
    }
    addBill(billed, decision, billUsd)
    if (outliers.has(row)) addBill(outlying, decision, billUsd)
  }
  return { ...sums, billed, outliers: outlying, reasonerUsd }
}

const keyOf: { readonly [By in SavingsKey]: (row: LedgerRow) => string } = {
  cluster: ({ decision }) => decision.cluster,
  task_type: ({ decision }) => decision.taskType,
  lane: ({ decision }) => decision.lane,
  model: ({ decision }) => decision.recommendedModelId,
  user_id: ({ decision: { userId } }) => JSON.stringify(userId === null ? [] : [userId]),
  tag: ({ decision }) => JSON.stringify([...new Set(decision.tags)]),
  day: ({ decision }) => decision.createdAt.toISOString().slice(0, 10)
}

/**
 * The sums by group; a null `groupBy` makes one group of all rows. Those in shadow are left out.
 *
 * @param all rows of every lane, in the months of the window and in those beside them
 * @param isOwn which rows are added up
 */
export const savingsFigures = (
  all: ReadonlyArray<LedgerRow>,
  groupBy: SavingsKey | null,
  isOwn: (row: LedgerRow) => boolean = () => true
): SavingsFigures => {
  const rows = counted(all)
  const outliers = outliersIn(rows)
  const own = rows.filter(isOwn)
  const groups = [...Map.groupBy(own, groupBy === null ? () => "" : keyOf[groupBy])]
  return {
    groups: groups.map(([key, members]) => ({ key, sums: savingsSums(members, outliers) })),
    followed: groups.map(([key, members]) =>
      ({ key, sums: bySource((source) => followedSums(members, outliers, source)) })),
    costs: bySource((source) => costCells(costedIn(rows, outliers, source)))
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
