/* Much cheaper models that were hardly tried, by kind of task, as the newest decisions name them. */
import type { LedgerRow } from "../../domain/Decision.ts"
import type { Strategy } from "../../domain/Lesson.ts"
import { variantName } from "../../domain/model/ModelVariant.ts"
import { nameOf } from "../../domain/text/Text.ts"
import { counted, dollars } from "../../domain/text/Words.ts"
import type { UntriedInKind } from "../../domain/UntriedCheaper.ts"

/**
 * Returns the untried model that each kind of task's newest decision names, largest saving first.
 * @param newest decisions, with the newest first
 */
export const untriedByKind = (newest: ReadonlyArray<LedgerRow>): ReadonlyArray<UntriedInKind> => {
  const kinds = new Map<string, LedgerRow["decision"]>()
  for (const { decision } of newest) {
    const kind = JSON.stringify([decision.lane, decision.cluster])
    if (!kinds.has(kind)) kinds.set(kind, decision)
  }
  return [...kinds.values()].flatMap((decision): ReadonlyArray<UntriedInKind> => {
    const { cluster, createdAt, lane, recommendationId, recommendedModelId, untriedCheaper } = decision
    return untriedCheaper === undefined ? [] : [{
      lane, cluster, recommendationId,
      createdAt: createdAt.toISOString(),
      recommendedModelId: variantName(recommendedModelId),
      ...untriedCheaper
    }]
  }).sort((one, other) => other.couldSaveUsdPer_1000 - one.couldSaveUsdPer_1000)
}

export const untriedType = "untried_cheaper"

/** The strategy names a way to try the model, because Sextant's choices may never try it. */
export const untriedStrategy = (
  { cluster, couldSaveUsdPer_1000, modelId, recommendedModelId, trials }: UntriedInKind
): Strategy => ({
  strategyId: [untriedType, cluster, modelId].join(":"),
  description: `For ${cluster} ${nameOf(modelId)} is hardly tried and could save`
    + ` ${dollars(couldSaveUsdPer_1000)} per 1,000 calls against ${nameOf(recommendedModelId)}; about`
    + ` ${counted(trials, "outcome")} would tell: name it alone in candidate_models for some tasks and report`
    + " them, or run sextant audition --teach, since a choice by predictions may never try it.",
  supportingLessonCount: 0,
  avgConfidence: 0,
  avgReinforcement: 0,
  dominantLessonType: untriedType,
  dominantScope: "",
  lessonIds: []
})
