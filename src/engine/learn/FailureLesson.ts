/* The lesson of a failure that came with an error's text. */
import { readSteps } from "../../domain/Feedback.ts"
import { isRelabelled } from "../../domain/FeedbackPrecedence.ts"
import { nameOf, quoted } from "../../domain/text/Text.ts"
import { cut } from "../../domain/text/TextLimits.ts"
import type { MemoryWrite } from "../../memory/MemoryWrite.ts"
import type { CombinedFeedback } from "./FeedbackContext.ts"

interface FailureLessonRule {
  /** Error text that is kept to be compared, characters. */
  readonly errorTextMax: number
  /** How much the lesson matters, in [0, 1]. */
  readonly failureImportance: number
  /** Error text that the lesson quotes, characters. */
  readonly failureQuotationMax: number
  /** How much the lesson of a fully trusted label is believed, in [0, 1]. */
  readonly lessonConfidence: number
}

/** What the caller said went wrong: the notes, and why steps failed. Empty when nothing was said. */
const errorTextOf = ({ request }: Pick<CombinedFeedback, "request">): string =>
  [
    request.notes,
    ...readSteps(request).filter(({ outcome }) => outcome === "failure").map(({ rationale }) => rationale)
  ].flatMap((text) => text === null || text.trim() === "" ? [] : [text]).join("\n")

/** The lesson's sentence. The caller's words stand in it as a quotation. */
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

/** A failure that teaches and came with an error's text, as a lesson for `diagnose`; null for any other. */
export const failureLessonWrite = (
  feedback: CombinedFeedback,
  { errorTextMax, failureImportance, failureQuotationMax, lessonConfidence }: FailureLessonRule
): MemoryWrite | null => {
  const { accountId, decision, now, observationId, outcome, request, verdict } = feedback
  const errorText = cut(errorTextOf(feedback), errorTextMax)
  if (request.outcome !== "failure" || !verdict.teaches || errorText === "") return null
  if (!isRelabelled(outcome)) return null
  const lesson = {
    accountId,
    lane: decision.lane,
    lessonId: observationId,
    revision: outcome?.revision ?? 0,
    lessonType: "failure" as const,
    scope: "run" as const,
    content: contentOf(feedback, errorText, failureQuotationMax),
    cluster: decision.cluster,
    modelId: request.chosenModelId,
    importance: failureImportance,
    // That the error occurred is nearly certain; that the model caused it is as certain as the label.
    confidence: lessonConfidence * (1 + verdict.provenanceWeight) / 2,
    occurredAt: now,
    errorText,
    userId: decision.userId
  }
  return { kind: "promote", lesson }
}
