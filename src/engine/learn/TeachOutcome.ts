/* The observation that a feedback teaches memory. */
import { provenanceInMemory } from "../../domain/Feedback.ts"
import { isCostOutlier } from "../../domain/CostOutlier.ts"
import {
  isBroken, type Measurements, type ReportedOutcome, weightOf
} from "../../domain/FeedbackPrecedence.ts"
import { unitOf } from "../../domain/Task.ts"
import type { MemoryWrite } from "../../domain/MemoryWrite.ts"
import type { EngineSettings } from "../Settings.ts"
import { taskWeight } from "./attribution/TaskWeight.ts"
import type { CombinedFeedback } from "./FeedbackContext.ts"

/**
 * What running the model took. A call that failed because of the infrastructure has what it was billed for;
 * any other outcome is measured without such calls.
 */
const measuredOf = ({ billed, label, measured }: ReportedOutcome): Measurements =>
  isBroken(label) ? billed : measured

/**
 * The bill. Where a run has none, its tokens at list prices: what a run reads is not known before it, so that
 * its output alone, by which a call without a bill is priced, says little.
 */
const taughtUsd = (
  { cluster }: CombinedFeedback["decision"],
  { actualCostUsd, computedCostUsd }: Measurements
): number | null => actualCostUsd ?? (unitOf(cluster) === "run" ? computedCostUsd : null)

/** Whether the pick was drawn at random, by the policy or for a trial. */
const isDrawn = ({ propensity, selectionPolicy }: CombinedFeedback["decision"]): boolean =>
  selectionPolicy === "epsilon_softmax" || propensity < 1

/**
 * All reports on the decision's model as the one observation that they are. Null when the decision takes no
 * more models. A label that does not teach leaves its measurements alone.
 */
export const observationWrite = (
  { accountId, decision, observationId, outcome, modelSinceMs }: CombinedFeedback,
  { provenanceWeight }: Pick<EngineSettings, "provenanceWeight">
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
    provenanceWeight: weightOf(label, provenanceWeight)
      * taskWeight(decision, modelId, label.taughtQuality),
    // The logged propensity is the recommended model's; another model was the caller's choice, not ours, and
    // so was any that ran in shadow.
    propensity: isDrawn(decision) && modelId === decision.recommendedModelId && !decision.isShadow
      ? decision.propensity
      : null,
    inputTokens: measured.inputTokens,
    outputTokens: measured.outputTokens,
    costUsd,
    latencyMs: measured.latencyMs,
    timeToFirstTokenMs: measured.timeToFirstTokenMs,
    isCostOutlier: isCostOutlier(costUsd, decision.costPremiumUsd),
    // What ran before the id meant this model belongs there, however late its report comes.
    occurredAt: decision.createdAt.getTime() < modelSinceMs ? decision.createdAt : label.feedbackAt,
    teaches: label.teaches
  }
  return { kind: "teach", body }
}
