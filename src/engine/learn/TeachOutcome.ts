/* Builds the observation that memory learns from a feedback. */
import { provenanceInMemory } from "../../domain/feedback/Feedback.ts"
import { isCostOutlier } from "../../domain/CostOutlier.ts"
import {
  isBroken, type Measurements, type ReportedOutcome
} from "../../domain/feedback/FeedbackPrecedence.ts"
import { unitOf } from "../../domain/Task.ts"
import type { MemoryWrite } from "../../domain/MemoryWrite.ts"
import { taskWeight } from "./attribution/TaskWeight.ts"
import type { CombinedFeedback } from "./FeedbackContext.ts"

/** Returns tokens, cost and times of unbroken calls or, if the infrastructure broke all, of broken calls. */
const measuredOf = ({ billed, label, measured }: ReportedOutcome): Measurements =>
  isBroken(label) ? billed : measured

/**
 * Returns the billed cost, USD; null for a call without a bill. A run without a bill gets its tokens' list
 * cost.
 */
const taughtUsd = (
  { cluster }: CombinedFeedback["decision"],
  { actualCostUsd, computedCostUsd }: Measurements
): number | null => actualCostUsd ?? (unitOf(cluster) === "run" ? computedCostUsd : null)

/** Returns true if a random draw may have made the recommendation. */
const isDrawn = ({ propensity, selectionPolicy }: CombinedFeedback["decision"]): boolean =>
  selectionPolicy === "epsilon_softmax" || propensity < 1

/**
 * Returns the observation of an outcome, or null if the decision has outcomes of too many other models. If
 * the label does not teach, memory learns only the measurements.
 */
export const observationWrite = (
  { accountId, decision, observationId, outcome, modelSinceMs }: CombinedFeedback
): MemoryWrite | null => {
  if (outcome === null) return null
  const { label, modelId, revision, verdictRevision } = outcome
  const measured = measuredOf(outcome)
  const costUsd = taughtUsd(decision, measured)
  const body = {
    accountId,
    lane: decision.lane,
    observationId,
    revision,
    verdictRevision,
    task: decision.taskExcerpt,
    ...(decision.taskVectors === undefined ? {} : { taskVectors: decision.taskVectors }),
    taskType: decision.taskType,
    difficulty: decision.difficulty,
    cluster: decision.cluster,
    tags: decision.tags,
    userId: decision.userId,
    modelId,
    outcome: label.outcome,
    quality: label.taughtQuality,
    provenance: provenanceInMemory(label.provenance),
    provenanceWeight: label.provenanceWeight * taskWeight(decision, modelId, label.taughtQuality),
    // The decision's propensity holds only for the recommended model, and not if the caller chose the model.
    propensity: isDrawn(decision) && modelId === decision.recommendedModelId && !decision.isShadow
      ? decision.propensity
      : null,
    inputTokens: measured.inputTokens,
    outputTokens: measured.outputTokens,
    costUsd,
    latencyMs: measured.latencyMs,
    timeToFirstTokenMs: measured.timeToFirstTokenMs,
    isCostOutlier: isCostOutlier(costUsd, decision.costPremiumUsd),
    // If the id named another model at the decision, the outcome is dated to the decision, not to the report.
    occurredAt: decision.createdAt.getTime() < modelSinceMs ? decision.createdAt : label.feedbackAt,
    teaches: label.teaches
  }
  return { kind: "teach", body }
}
