import { Effect } from "effect"
import { nameOf } from "../../domain/text/Text.ts"
import { isRelabelled } from "../../domain/ReportPrecedence.ts"
import { Memory, type MemoryUnavailable } from "../../memory/Memory.ts"
import { Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"
import type { Lesson } from "./Record.ts"

/** Promotes a gate-verified strong success to a durable lesson; yields whether it did. */
export const promote = Effect.fnUntraced(function*(
  lesson: Lesson
): Effect.fn.Return<boolean, MemoryUnavailable, Memory | Settings> {
  const { lessonConfidence, lessonImportance } = yield* Settings
  const { accountId, decision, now, observationId, outcome, request, verdict } = lesson
  if (!verdict.promotes || !isRelabelled(outcome)) return false
  const cost = request.actualCostUsd === null ? "" : ` at $${request.actualCostUsd}`
  yield* (yield* Memory).promote({
    accountId,
    lane: decision.lane,
    lessonId: observationId,
    revision: outcome?.revision ?? 0,
    lessonType: "success",
    scope: "run",
    // Composed from structured facts only: what a caller wrote never becomes an instruction.
    content: `${nameOf(request.chosenModelId)} passed its check on a ${decision.cluster} task`
      + ` with quality ${verdict.quality}${cost}.`,
    cluster: decision.cluster,
    modelId: request.chosenModelId,
    importance: lessonImportance,
    confidence: lessonConfidence,
    occurredAt: now,
    userId: decision.userId
  })
  return true
}, stage("promote"))
