/* The lessons of a feedback: a success that a gate verified, or a failure with an error text. */
import { readSteps } from "../../domain/feedback/Feedback.ts"
import { isRelabelled } from "../../domain/feedback/FeedbackPrecedence.ts"
import { nameOf, quoted } from "../../domain/text/Text.ts"
import { cut } from "../../domain/text/TextLimits.ts"
import type { MemoryWrite } from "../../domain/MemoryWrite.ts"
import type { EngineSettings } from "../Settings.ts"
import type { CombinedFeedback } from "./FeedbackContext.ts"

const lessonOf = (
  { accountId, decision, now, observationId, outcome, request }: CombinedFeedback
) => ({
  accountId,
  lane: decision.lane,
  lessonId: observationId,
  revision: outcome?.revision ?? 0,
  scope: "run" as const,
  cluster: decision.cluster,
  modelId: request.chosenModelId,
  occurredAt: now,
  userId: decision.userId
})

export const successLessonWrite = (
  feedback: CombinedFeedback,
  { lessonConfidence, lessonImportance }: Pick<EngineSettings, "lessonConfidence" | "lessonImportance">
): MemoryWrite | null => {
  const { decision, outcome, request, verdict } = feedback
  if (!verdict.promotes || !isRelabelled(outcome)) return null
  const cost = request.actualCostUsd === null ? "" : ` at $${request.actualCostUsd}`
  const body = {
    ...lessonOf(feedback),
    lessonType: "success" as const,
    // The lesson of a success states structured facts only, so that a caller's text becomes no instruction.
    content: `${nameOf(request.chosenModelId)} passed its check on a ${decision.cluster} task`
      + ` with quality ${verdict.quality}${cost}.`,
    importance: lessonImportance,
    confidence: lessonConfidence,
    errorText: null
  }
  return { kind: "promote", body }
}

type FailureLessonRule = Pick<
  EngineSettings, "errorTextMax" | "failureImportance" | "failureQuotationMax" | "lessonConfidence"
>

const errorTextOf = ({ request }: Pick<CombinedFeedback, "request">): string =>
  [
    request.notes,
    ...readSteps(request).filter(({ outcome }) => outcome === "failure").map(({ rationale }) => rationale)
  ].flatMap((text) => text === null || text.trim() === "" ? [] : [text]).join("\n")

const contentOf = (
  { decision, request, verdict }: CombinedFeedback,
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

/** Returns the lesson of a failure with an error text whose label counts, otherwise null. */
export const failureLessonWrite = (
  feedback: CombinedFeedback,
  { errorTextMax, failureImportance, failureQuotationMax, lessonConfidence }: FailureLessonRule
): MemoryWrite | null => {
  const { outcome, request, verdict } = feedback
  const errorText = cut(errorTextOf(feedback), errorTextMax)
  if (request.outcome !== "failure" || !verdict.teaches || errorText === "") return null
  if (!isRelabelled(outcome)) return null
  const body = {
    ...lessonOf(feedback),
    lessonType: "failure" as const,
    content: contentOf(feedback, errorText, failureQuotationMax),
    importance: failureImportance,
    confidence: lessonConfidence * (1 + verdict.provenanceWeight) / 2,
    errorText
  }
  return { kind: "promote", body }
}
