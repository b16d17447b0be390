/* The lesson of a success that a gate verified. */
import { isRelabelled } from "../../domain/FeedbackPrecedence.ts"
import { nameOf } from "../../domain/text/Text.ts"
import type { MemoryWrite } from "../../memory/MemoryWrite.ts"
import type { CombinedFeedback } from "./FeedbackContext.ts"

interface SuccessLessonRule {
  /** How much the lesson is believed, in [0, 1]. */
  readonly lessonConfidence: number
  /** How much it matters, in [0, 1]. */
  readonly lessonImportance: number
}

/** A gate-verified strong success as a durable lesson; null for any other feedback. */
export const successLessonWrite = (
  { accountId, decision, now, observationId, outcome, request, verdict }: CombinedFeedback,
  { lessonConfidence, lessonImportance }: SuccessLessonRule
): MemoryWrite | null => {
  if (!verdict.promotes || !isRelabelled(outcome)) return null
  const cost = request.actualCostUsd === null ? "" : ` at $${request.actualCostUsd}`
  const lesson = {
    accountId,
    lane: decision.lane,
    lessonId: observationId,
    revision: outcome?.revision ?? 0,
    lessonType: "success" as const,
    scope: "run" as const,
    // Composed from structured facts only: what a caller wrote never becomes an instruction.
    content: `${nameOf(request.chosenModelId)} passed its check on a ${decision.cluster} task`
      + ` with quality ${verdict.quality}${cost}.`,
    cluster: decision.cluster,
    modelId: request.chosenModelId,
    importance: lessonImportance,
    confidence: lessonConfidence,
    occurredAt: now,
    userId: decision.userId
  }
  return { kind: "promote", lesson }
}
