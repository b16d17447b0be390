/* Reports model calls from their spans, and evaluations from their events. */
import { attempt, notify } from "../ForeignValues.ts"
import type { FeedbackRequest, Sextant } from "../index.ts"
import { outcomeOf } from "../Sextant.ts"
import { measurementsOf } from "../Usage.ts"
import { endOf, isCall, modelNameOf, usageOf } from "./Calls.ts"
import { type EvaluationRule, qualityOf, requireRule } from "./Evaluations.ts"
import type { Known, Verdict } from "./Memory.ts"
import { type Attributes, idOf, notesMax, type ReadableSpanLike, textOf, wordsOf } from "./Shapes.ts"

/** Why an evaluation, or a call with a recommendation, was not reported. */
export type SkippedReason =
  /** The call failed by a mistake of the caller, which shows nothing about the model. */
  | "callers_error"
  /** A call inside the span was already reported, so the span is not reported. */
  | "reported_below"
  /** The evaluation's rule knows neither the score nor the label. */
  | "unknown_score"
  | "evaluation_failed"
  /** The evaluation belongs to no call with a recommendation that this process has seen. */
  | "unknown_call"
  | "queue_full"
  | "unreadable"

export interface ProcessorOptions {
  readonly sextant: Pick<Sextant, "models" | "report" | "flush">
  /** An evaluation whose rule is null is ignored. */
  readonly evaluations?: Readonly<Record<string, EvaluationRule | null>>
  /** Rule for evaluations not in `evaluations`; null ignores those. By default, scores count as judges'. */
  readonly otherEvaluations?: EvaluationRule | null
  /** Returns a model's catalog id from its name in a span. */
  readonly modelIdOf?: (name: string, attributes: Attributes) => string | undefined
  readonly onSkipped?: (reason: SkippedReason, detail: string) => void
}

export const recommendationAttribute = "sextant.recommendation_id"
/** Name of the span attribute with the catalog id of the model that runs. */
export const modelAttribute = "sextant.model_id"

/** Maximum length of an idempotency key, in UTF-16 units. */
const keyMax = 200

const outcomes = { success: "success", aborted: "partial", outage: "failure", failure: "failure" } as const

export interface Reporter {
  readonly skip: (reason: SkippedReason, detail: string) => void
  /** Returns the id, or else the name, of a span's model; undefined if the span is no model call. */
  readonly modelOf: (attributes: Attributes) => string | undefined
  readonly called: (span: ReadableSpanLike, call: Known) => void
  /** Returns null if an evaluation has no rule; calls `skip` and returns null if it has no known quality. */
  readonly verdictOf: (result: Attributes) => Verdict | null
  readonly judged: (verdict: Verdict, call: Known | undefined) => void
}

export const createReporter = (options: ProcessorOptions): Reporter => {
  const { evaluations = {}, modelIdOf, onSkipped, otherEvaluations = { source: "judge" }, sextant } = options
  for (const [name, rule] of [...Object.entries(evaluations), ["of others", otherEvaluations] as const]) {
    if (rule !== null) requireRule(name, rule)
  }
  const skip = (reason: SkippedReason, detail: string): void => notify(() => onSkipped?.(reason, detail))
  const report = (feedback: FeedbackRequest): void => {
    if (!sextant.report(feedback)) skip("queue_full", feedback.recommendation_id)
  }

  return {
    skip,
    modelOf: (attributes) => {
      const name = modelNameOf(attributes)
      if (name === undefined || !isCall(attributes)) return undefined
      const given = attempt(() => modelIdOf?.(name, attributes), undefined)
      return given ?? (sextant.models.includes(name) ? name : idOf(attributes, modelAttribute) ?? name)
    },
    called: (span, { key, modelId, recommendationId }) => {
      const { end, notes, status } = endOf(span)
      if (end === "callers") return skip("callers_error", notes ?? "")
      report({
        recommendation_id: recommendationId,
        chosen_model_id: modelId,
        outcome: outcomes[end],
        error_cause: end === "outage" ? "infra" : undefined,
        provider_status: status !== undefined && status < 600 ? Math.trunc(status) : undefined,
        evidence_source: "none",
        notes: notes?.slice(0, notesMax),
        ...measurementsOf(usageOf(span)),
        idempotency_key: key
      })
    },
    verdictOf: (attributes) => {
      const name = textOf(attributes, "gen_ai.evaluation.name") ?? ""
      const rule = Object.hasOwn(evaluations, name) ? evaluations[name] : otherEvaluations
      if (!rule) return null
      const isFailed = textOf(attributes, "error.type") !== undefined
      const quality = isFailed ? null : qualityOf(attributes, rule)
      if (quality === null) {
        skip(isFailed ? "evaluation_failed" : "unknown_score", name)
        return null
      }
      return {
        name: name.slice(0, keyMax),
        quality,
        source: rule.source,
        notes: wordsOf(attributes, "gen_ai.evaluation.explanation"),
        responseId: idOf(attributes, "gen_ai.response.id")
      }
    },
    judged: ({ name, notes, quality, source }, call) => {
      if (call === undefined) return skip("unknown_call", name)
      report({
        recommendation_id: call.recommendationId,
        chosen_model_id: call.modelId,
        outcome: outcomeOf(quality),
        quality_score: quality,
        evidence_source: source,
        notes,
        // The same result may arrive twice, in a span's event and in a log record.
        idempotency_key: `${call.key}:${name}`.slice(0, keyMax).toWellFormed()
      })
    }
  }
}
