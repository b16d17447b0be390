/* What a decision costs its account: estimates until reports come, then bills. */
import { costOutlierRatio } from "../CostOutlier.ts"
import type { Decision } from "../Decision.ts"
import type { ReportedOutcome } from "../feedback/FeedbackPrecedence.ts"

/** Sums in USD, each >= 0. */
export interface Spend {
  /** Bills, each up to `costOutlierRatio` times the dearest candidate's estimate. */
  readonly billedUsd: number
  /** The estimates of the calls that were billed. */
  readonly billedEstimateUsd: number
  /** Estimates of calls without a bill. */
  readonly waitingUsd: number
  /** What bills have above that bound. */
  readonly leftOutUsd: number
  /** What is reserved above the estimate until a report comes. */
  readonly marginUsd: number
}

/** What {@link spendOf} needs of a decision. */
export type SpendingDecision = Pick<
  Decision,
  | "attemptNumber" | "candidates" | "costDeclaredUsd" | "costMarginUsd"
  | "costPremiumUsd" | "costRecommendedUsd" | "isShadow" | "recommendedModelId"
>

const noSpend: Spend = { billedUsd: 0, billedEstimateUsd: 0, waitingUsd: 0, leftOutUsd: 0, marginUsd: 0 }

/** The estimate of what runs: in shadow the declared baseline, else the pick. */
const estimateOf = ({ costDeclaredUsd, costRecommendedUsd, isShadow }: SpendingDecision): number =>
  isShadow && costDeclaredUsd !== null ? costDeclaredUsd : costRecommendedUsd

/** Adds what one model has cost. */
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
    // Alike in both sums, so that a bill above the bound says nothing of the bills of other calls.
    billedEstimateUsd: sums.billedEstimateUsd + (bill > highest ? highest : own),
    leftOutUsd: sums.leftOutUsd + Math.max(0, bill - highest)
  }
}

/**
 * What a decision has cost with these outcomes. Without a report it waits at the estimate of what runs, and
 * costs nothing where no attempt was advised. With reports every model counts by its bill, reported or else
 * computed. A call without either waits at its estimate, and costs nothing where the infrastructure broke it.
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
