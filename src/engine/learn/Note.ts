import { Effect } from "effect"
import { readSteps } from "../../domain/Feedback.ts"
import { nameOf, quoted } from "../../domain/text/Text.ts"
import { cut } from "../../domain/text/TextLimits.ts"
import { isRelabelled } from "../../domain/ReportPrecedence.ts"
import { Memory, type MemoryUnavailable } from "../../memory/Memory.ts"
import { Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"
import type { Lesson } from "./Record.ts"

/** What the caller said went wrong: the notes, and why steps failed. Empty when nothing was said. */
export const errorTextOf = ({ request }: Pick<Lesson, "request">): string =>
  [
    request.notes,
    ...readSteps(request).filter(({ outcome }) => outcome === "failure").map(({ rationale }) => rationale)
  ].flatMap((text) => text === null || text.trim() === "" ? [] : [text]).join("\n")

/** Our sentence about it; the caller's words stand in it as a quotation. */
const contentOf = (
  { decision, request, verdict }: Lesson,
  errorText: string,
  quotationMax: number
): string => {
  const verb = verdict.provenance === "gate" ? "failed its check" : "failed"
  const steps = readSteps(request).filter(({ outcome }) => outcome === "failure")
    .map(({ stepId }) => quoted(stepId, quotationMax / 4))
  return `${nameOf(request.chosenModelId)} ${verb} on a ${decision.cluster} task`
    + ` with quality ${verdict.quality}.`
    + (steps.length === 0 ? "" : ` Steps that failed, quoted: ${steps.slice(0, 4).join(", ")}.`)
    + ` The caller's error, quoted: ${quoted(errorText, quotationMax)}.`
}

/** Keeps a failure that came with an error's text as a lesson for `diagnose`; yields whether it did. */
export const recordFailureLesson = Effect.fnUntraced(function*(
  lesson: Lesson
): Effect.fn.Return<boolean, MemoryUnavailable, Memory | Settings> {
  const { errorTextMax, failureImportance, failureQuotationMax, lessonConfidence } = yield* Settings
  const { accountId, decision, now, observationId, outcome, request, verdict } = lesson
  const errorText = cut(errorTextOf(lesson), errorTextMax)
  if (request.outcome !== "failure" || !verdict.teaches || errorText === "") return false
  if (!isRelabelled(outcome)) return false
  yield* (yield* Memory).promote({
    accountId,
    lane: decision.lane,
    lessonId: observationId,
    revision: outcome?.revision ?? 0,
    lessonType: "failure",
    scope: "run",
    content: contentOf(lesson, errorText, failureQuotationMax),
    cluster: decision.cluster,
    modelId: request.chosenModelId,
    importance: failureImportance,
    // That the error came is hardly in doubt; that the model caused it is as sure as the label.
    confidence: lessonConfidence * (1 + verdict.provenanceWeight) / 2,
    occurredAt: now,
    errorText,
    userId: decision.userId
  })
  return true
}, stage("note"))
