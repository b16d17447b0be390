/* The answer to a feedback, from its combined report and the results of its writes to memory. */
import { isCostOutlier } from "../../domain/CostOutlier.ts"
import { type FeedbackResponse, stepOutcomesMax } from "../../domain/feedback/Feedback.ts"
import { costSourceOf, isRelabelled } from "../../domain/feedback/FeedbackPrecedence.ts"
import type { MemoryWrite, Reinforced, Taught, Written } from "../../domain/MemoryWrite.ts"
import { figure, usd } from "../../domain/Rounding.ts"
import { isOtherTask, keyOfTask } from "../../domain/TaskKey.ts"
import { byConsequence, type FeedbackWarning } from "../../domain/Warning.ts"
import type { CombinedFeedback } from "./FeedbackContext.ts"

/** The warning for each kind of write that memory did not apply. */
const lossOf = {
  teach: "memory_write_failed",
  reinforce: "reinforcement_failed",
  recordSteps: "step_outcomes_partial",
  promote: "lesson_promotion_failed"
} as const satisfies { readonly [Kind in MemoryWrite["kind"]]: FeedbackWarning }

export const refusedAnswer = (warning: FeedbackWarning): FeedbackResponse => ({
  accepted: false,
  recordId: null,
  reinforcedEntryIds: [],
  updatedConfidence: null,
  reflectionTriggered: false,
  lessonPromoted: false,
  stepOutcomesRecorded: 0,
  costSource: null,
  computedCostUsd: null,
  warnings: [warning]
})

/** Warns if a label replaced an earlier one or lost to it, and if the decision can store no further model. */
const labelWarnings = (
  { before, outcome, verdict }: CombinedFeedback
): ReadonlyArray<FeedbackWarning> => {
  if (outcome === null) return ["chosen_models_capped"]
  if (before === null || !before.label.teaches || !verdict.teaches) return []
  return [isRelabelled(outcome) ? "outcome_replaced" : "outcome_outranked"]
}

const noReinforcement: Reinforced = { entryIds: [], updatedConfidence: null }

const summaryOf = (writes: ReadonlyArray<MemoryWrite>, results: ReadonlyArray<Written | null>) => {
  let taught: Taught | null = null
  let reinforced = noReinforcement
  let stepsRecorded = 0
  let isLessonPromoted = false
  for (const [index, write] of writes.entries()) {
    const result = results[index]
    if (result?.kind === "teach") taught = result.taught
    if (result?.kind === "reinforce") reinforced = result.reinforced
    if (result?.kind === "recordSteps") stepsRecorded += result.recorded
    if (result?.kind === "promote" && write.kind === "promote") {
      isLessonPromoted ||= write.body.lessonType === "success"
    }
  }
  return { taught, reinforced, stepsRecorded, isLessonPromoted }
}

/** @param results memory's result of each write; null if memory did not apply the write */
export const answerOf = (
  feedback: CombinedFeedback,
  writes: ReadonlyArray<MemoryWrite>,
  results: ReadonlyArray<Written | null>
): FeedbackResponse => {
  const { decision, nameWarnings, outcome, request, usage, verdict } = feedback
  const { isLessonPromoted, reinforced, stepsRecorded, taught } = summaryOf(writes, results)
  const lost = (kind: MemoryWrite["kind"]): ReadonlyArray<FeedbackWarning> =>
    writes.some((write, index) => write.kind === kind && (results[index] ?? null) === null)
      ? [lossOf[kind]]
      : []
  const dropped = request.stepOutcomes.length - stepOutcomesMax
  const isPartial = stepsRecorded < Math.min(request.stepOutcomes.length, stepOutcomesMax)
  const cost = outcome?.billed ?? usage
  const costSource = costSourceOf(cost)
  const isOutlier = isCostOutlier(request.actualCostUsd, decision.costPremiumUsd)
  return {
    accepted: true,
    recordId: taught?.recordId ?? null,
    reinforcedEntryIds: reinforced.entryIds,
    // The confidence is rounded, so that a repeated feedback gets the same number from the stored answer.
    updatedConfidence: reinforced.updatedConfidence === null ? null : figure(reinforced.updatedConfidence),
    reflectionTriggered: taught?.reflectionTriggered ?? false,
    lessonPromoted: isLessonPromoted,
    stepOutcomesRecorded: stepsRecorded,
    costSource,
    computedCostUsd: costSource !== "computed" || cost.computedCostUsd === null
      ? null
      : usd(cost.computedCostUsd),
    warnings: byConsequence<FeedbackWarning>([
      ...nameWarnings,
      ...(isOtherTask(decision.taskKey, keyOfTask(request)) ? ["other_task" as const] : []),
      ...verdict.warnings,
      ...usage.warnings,
      ...labelWarnings(feedback),
      ...(isOutlier ? ["cost_outlier" as const] : []),
      ...lost("teach"),
      ...lost("reinforce"),
      ...(dropped > 0 ? [`step_outcomes_capped:${dropped}` as const] : []),
      ...(isPartial ? [lossOf.recordSteps] : []),
      ...lost("promote")
    ])
  }
}
