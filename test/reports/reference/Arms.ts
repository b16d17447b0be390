/* The reference of what each model did on each kind of task. */
import { isCostOutlier } from "../../../src/domain/CostOutlier.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { adviceSettings } from "../../../src/reports/advice/AdviceSettings.ts"
import type { ArmSums } from "../../../src/reports/advice/ArmSums.ts"
import { chosenCandidate, successOf } from "./Reconciled.ts"

const weights: Readonly<Record<string, number>> = adviceSettings.verdictWeight

/** The sums of the model that ran, by lane and cluster; not of a default without a price that nobody reported. */
export const armsOf = (rows: ReadonlyArray<LedgerRow>): ReadonlyArray<ArmSums> => {
  const arms = new Map<string, ArmSums>()
  for (const { decision, feedback } of rows) {
    const { cluster, costPremiumUsd, costRecommendedUsd, createdAt, lane, recommendationId } = decision
    const own = decision.costDeclaredUsd === null ? null : decision.baselineModelId
    const modelId = feedback?.chosenModelId ?? (decision.isShadow ? own : decision.recommendedModelId)
    if (modelId === null) continue
    const key = JSON.stringify([lane, cluster, modelId])
    const arm = arms.get(key) ?? {
      lane, cluster, modelId, nCalls: 0, firstMs: createdAt.getTime(), nVerdicts: 0, weight: 0, successWeight: 0,
      predictedWeight: 0, predicted: 0, nCosted: 0, costUsd: 0, costSquares: 0, estimatedUsd: 0, newestId: recommendationId
    }
    const weight = feedback?.teaches === true ? weights[feedback.provenance] ?? 0 : 0
    const cost = feedback?.actualCostUsd ?? feedback?.computedCostUsd ?? null
    const believed = isCostOutlier(cost, costPremiumUsd) ? null : cost
    const prediction = feedback === null ? undefined : chosenCandidate({ decision, feedback })?.predictedSuccess
    arms.set(key, {
      ...arm,
      nCalls: arm.nCalls + 1,
      firstMs: Math.min(arm.firstMs, createdAt.getTime()),
      nVerdicts: arm.nVerdicts + (weight > 0 ? 1 : 0),
      weight: arm.weight + weight,
      successWeight: arm.successWeight + (weight > 0 ? weight * successOf(feedback!.outcome) : 0),
      predictedWeight: arm.predictedWeight + (prediction === undefined ? 0 : weight),
      predicted: arm.predicted + weight * (prediction ?? 0),
      nCosted: arm.nCosted + (believed === null ? 0 : 1),
      costUsd: arm.costUsd + (believed ?? 0),
      costSquares: arm.costSquares + (believed ?? 0) ** 2,
      estimatedUsd: arm.estimatedUsd + costRecommendedUsd,
      newestId: arm.newestId! > recommendationId ? arm.newestId : recommendationId
    })
  }
  return [...arms.values()].toSorted((one, other) => other.nCalls - one.nCalls
    || (one.lane < other.lane ? -1 : one.lane > other.lane ? 1 : 0)
    || (one.cluster < other.cluster ? -1 : one.cluster > other.cluster ? 1 : 0)
    || (one.modelId < other.modelId ? -1 : 1))
}
