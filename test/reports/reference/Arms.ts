/* The reference of what each model did on each kind of task. */
import { isCostOutlier } from "../../../src/domain/CostOutlier.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { adviceSettings } from "../../../src/reports/advice/AdviceSettings.ts"
import { modelIdOf } from "../../../src/domain/model/ModelVariant.ts"
import type { ArmSums, UseSums } from "../../../src/reports/advice/ArmSums.ts"
import { chosenCandidate, successOf } from "./Reconciled.ts"

const weights: Readonly<Record<string, number>> = adviceSettings.verdictWeight

/** The model that ran; null for a default without a price that nobody reported. */
const ranOf = ({ decision, feedback }: LedgerRow): string | null => {
  const own = decision.costDeclaredUsd === null ? null : decision.baselineModelId
  return feedback?.chosenModelId ?? (decision.isShadow ? own : decision.recommendedModelId)
}

/** A cost that is believed; null without one. */
const costOf = ({ decision, feedback }: LedgerRow): number | null => {
  const cost = feedback?.actualCostUsd ?? feedback?.computedCostUsd ?? null
  return isCostOutlier(cost, decision.costPremiumUsd) ? null : cost
}

/** For whom a model ran, at any effort. */
export const usesOf = (rows: ReadonlyArray<LedgerRow>, modelId: string): ReadonlyArray<UseSums> => {
  const own = rows.filter((row) => modelIdOf(ranOf(row) ?? "") === modelId).map((row) => ({
    names: [
      { by: "all" as const, name: "" }, ...row.decision.tags.map((name) => ({ by: "tag" as const, name })),
      ...row.decision.userId === null ? [] : [{ by: "user" as const, name: row.decision.userId }]
    ],
    usd: costOf(row) ?? row.decision.costRecommendedUsd
  }))
  const uses = new Map<string, UseSums>([["all ", { by: "all", name: "", nCalls: 0, spentUsd: 0 }]])
  for (const { names, usd } of own) {
    for (const { by, name } of names) {
      const { nCalls = 0, spentUsd = 0 } = uses.get(`${by} ${name}`) ?? {}
      uses.set(`${by} ${name}`, { by, name, nCalls: nCalls + 1, spentUsd: spentUsd + usd })
    }
  }
  const sorted = [...uses.values()].sort((one, other) =>
    other.nCalls - one.nCalls || (one.name < other.name ? -1 : 1))
  return (["all", "tag", "user"] as const).flatMap((by) =>
    sorted.filter((use) => use.by === by).slice(0, adviceSettings.usesMax))
}

/** The sums of the model that ran, by lane and cluster. */
export const armsOf = (rows: ReadonlyArray<LedgerRow>): ReadonlyArray<ArmSums> => {
  const arms = new Map<string, ArmSums>()
  for (const row of rows) {
    const { decision, feedback } = row
    const { cluster, costRecommendedUsd, createdAt, lane, recommendationId } = decision
    const modelId = ranOf(row)
    if (modelId === null) continue
    const key = JSON.stringify([lane, cluster, modelId])
    const arm = arms.get(key) ?? {
      lane, cluster, modelId, nCalls: 0, firstMs: createdAt.getTime(), nVerdicts: 0, weight: 0, successWeight: 0,
      predictedWeight: 0, predicted: 0, nCosted: 0, costUsd: 0, costSquares: 0, estimatedUsd: 0, newestId: null
    }
    const weight = feedback?.teaches === true ? weights[feedback.provenance] ?? 0 : 0
    const believed = costOf(row)
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
      newestId: (decision.attemptNumber ?? 1) !== 1 || (arm.newestId ?? "") > recommendationId
        ? arm.newestId
        : recommendationId
    })
  }
  return [...arms.values()].toSorted((one, other) => other.nCalls - one.nCalls
    || (one.lane < other.lane ? -1 : one.lane > other.lane ? 1 : 0)
    || (one.cluster < other.cluster ? -1 : one.cluster > other.cluster ? 1 : 0)
    || (one.modelId < other.modelId ? -1 : 1))
}
