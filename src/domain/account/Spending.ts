/* The cost of a decision for its account: the estimate until reports come, then the bills. */
import { costOutlierRatio } from "../CostOutlier.ts"
import type { Decision } from "../Decision.ts"
import type { ReportedOutcome } from "../feedback/FeedbackPrecedence.ts"

/** Sums in USD; each sum is at least 0. */
export interface Spend {
  /** Sum of bills, else of list-price costs, each up to {@link costOutlierRatio} times `costPremiumUsd`. */
  readonly billedUsd: number
  /** Sum of the estimates of the calls in `billedUsd`; a call with a limited bill adds this limit instead. */
  readonly billedEstimateUsd: number
  readonly waitingUsd: number
  /** Sum of the parts of bills above `costOutlierRatio` times the most expensive candidate's estimate. */
  readonly leftOutUsd: number
  readonly marginUsd: number
}

export type SpendingDecision = Pick<
  Decision,
  | "attemptNumber" | "candidates" | "costDeclaredUsd" | "costMarginUsd"
  | "costPremiumUsd" | "costRecommendedUsd" | "isShadow" | "recommendedModelId"
>

const noSpend: Spend = { billedUsd: 0, billedEstimateUsd: 0, waitingUsd: 0, leftOutUsd: 0, marginUsd: 0 }

const estimateOf = ({ costDeclaredUsd, costRecommendedUsd, isShadow }: SpendingDecision): number =>
  isShadow && costDeclaredUsd !== null ? costDeclaredUsd : costRecommendedUsd

const withOutcome = (
  { candidates, costPremiumUsd }: SpendingDecision,
  estimate: number,
  sums: Spend,
  { billed, label, modelId }: ReportedOutcome
): Spend => {
  const own = candidates.find((candidate) => candidate.modelId === modelId)?.estCostUsd ?? estimate
  const bill = billed.actualCostUsd ?? billed.computedCostUsd ?? null
  if (bill === null) {
    const isFree = label.errorCause === "infra" && label.outcome !== "success"
    return isFree ? sums : { ...sums, waitingUsd: sums.waitingUsd + own }
  }
  const highest = costPremiumUsd > 0 ? costOutlierRatio * costPremiumUsd : Infinity
  return {
    ...sums,
    billedUsd: sums.billedUsd + Math.min(bill, highest),
    // A bill above its limit adds the limit to bills and estimates, which moves their ratio toward 1.
    billedEstimateUsd: sums.billedEstimateUsd + (bill > highest ? highest : own),
    leftOutUsd: sums.leftOutUsd + Math.max(0, bill - highest)
  }
}

/**
 * Without a report, the cost is the estimate of the model that runs, or 0 if no attempt was advised. With
 * reports, each model costs its bill, else its computed cost, else its estimate. A call that the
 * infrastructure broke costs nothing unless it has a bill.
 */
export const spendOf = (decision: SpendingDecision, outcomes: ReadonlyArray<ReportedOutcome>): Spend => {
  const estimate = estimateOf(decision)
  if (outcomes.length > 0) {
    return outcomes.reduce((sums, each) => withOutcome(decision, estimate, sums, each), noSpend)
  }
  const isNothing = decision.attemptNumber === 0 && !decision.isShadow
  return {
    ...noSpend,
    waitingUsd: isNothing ? 0 : estimate,
    marginUsd: Math.max(0, decision.costMarginUsd ?? 0)
  }
}
