/* The answer to a feedback, from its combined report and the outcomes of its writes. */
import { isCostOutlier } from "../../domain/CostOutlier.ts"
import { type FeedbackResponse, stepOutcomesMax } from "../../domain/feedback/Feedback.ts"
import { costSourceOf, isRelabelled } from "../../domain/feedback/FeedbackPrecedence.ts"
import type { MemoryWrite, Reinforced, Taught, Written } from "../../domain/MemoryWrite.ts"
import { figure, usd } from "../../domain/Rounding.ts"
import { isOtherTask, keyOfTask } from "../../domain/TaskKey.ts"
import { byConsequence, type FeedbackWarning } from "../../domain/Warning.ts"
import type { CombinedFeedback } from "./FeedbackContext.ts"

/** One write of a feedback, and its result. */
interface WriteOutcome {
  readonly write: MemoryWrite
  /** The result of the write; null if the memory did not take it. */
  readonly written: Written | null
  /** The warnings of a write that failed. */
  readonly warnings: ReadonlyArray<FeedbackWarning>
}

/** The warning of a write that the memory did not take. */
const lossOf = {
  teach: "memory_write_failed",
  reinforce: "reinforcement_failed",
  recordSteps: "step_outcomes_partial",
  promote: "lesson_promotion_failed"
} as const satisfies { readonly [Kind in MemoryWrite["kind"]]: FeedbackWarning }

/** The writes with their results; a result is null if the memory did not take the write. */
export const outcomesOf = (
  writes: ReadonlyArray<MemoryWrite>,
  written: ReadonlyArray<Written | null>
): ReadonlyArray<WriteOutcome> =>
  writes.map((write, index) => {
    const own = written[index] ?? null
    return { write, written: own, warnings: own === null ? [lossOf[write.kind]] : [] }
  })

/** The answer to a feedback that taught nothing, and why. */
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

/** Warnings about the labels of the feedback's decision and model. */
const labelWarnings = (
  { before, outcome, verdict }: CombinedFeedback
): ReadonlyArray<FeedbackWarning> => {
  if (outcome === null) return ["chosen_models_capped"]
  if (before === null || !before.label.teaches || !verdict.teaches) return []
  return [isRelabelled(outcome) ? "outcome_replaced" : "outcome_outranked"]
}

const noReinforcement: Reinforced = { entryIds: [], updatedConfidence: null }

/** A summary of memory's answers to the writes of one feedback. */
const summaryOf = (outcomes: ReadonlyArray<WriteOutcome>) => {
  let taught: Taught | null = null
  let reinforced = noReinforcement
  let stepsRecorded = 0
  let isLessonPromoted = false
  for (const { write, written } of outcomes) {
    if (written?.kind === "teach") taught = written.taught
    if (written?.kind === "reinforce") reinforced = written.reinforced
    if (written?.kind === "recordSteps") stepsRecorded += written.recorded
    if (written?.kind === "promote" && write.kind === "promote") {
      isLessonPromoted ||= write.body.lessonType === "success"
    }
  }
  return { taught, reinforced, stepsRecorded, isLessonPromoted }
}

/** The answer to an accepted feedback. */
export const answerOf = (
  feedback: CombinedFeedback,
  outcomes: ReadonlyArray<WriteOutcome>
): FeedbackResponse => {
  const { decision, nameWarnings, outcome, request, usage, verdict } = feedback
  const { isLessonPromoted, reinforced, stepsRecorded, taught } = summaryOf(outcomes)
  const warningsOf = (kind: MemoryWrite["kind"]): ReadonlyArray<FeedbackWarning> =>
    outcomes.flatMap(({ warnings, write }) => write.kind === kind ? warnings : [])
  const dropped = request.stepOutcomes.length - stepOutcomesMax
  const isPartial = stepsRecorded < Math.min(request.stepOutcomes.length, stepOutcomesMax)
  // If the decision takes no more models, the outcome is not stored, and the usage of this report counts.
  const cost = outcome?.billed ?? usage
  const costSource = costSourceOf(cost)
  const isOutlier = isCostOutlier(request.actualCostUsd, decision.costPremiumUsd)
  return {
    accepted: true,
    recordId: taught?.recordId ?? null,
    reinforcedEntryIds: reinforced.entryIds,
    // As it is stored and repeated.
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
      ...warningsOf("teach"),
      ...warningsOf("reinforce"),
      ...(dropped > 0 ? [`step_outcomes_capped:${dropped}` as const] : []),
      // Also the warning of steps that memory did not take: said once.
      ...(isPartial ? ["step_outcomes_partial" as const] : []),
      ...warningsOf("promote")
    ])
  }
}
