/* Makes the reports: of a call from its span, and of an evaluation from its event. */
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
  /** The call failed with an error that is the caller's: nothing is known of the model. */
  | "callers_error"
  /** The span stands around a call that was reported already. */
  | "reported_below"
  /** The result has no score or label that its rule knows, or its score is out of the rule's range. */
  | "unknown_score"
  /** The evaluation itself failed. */
  | "evaluation_failed"
  /** The evaluation belongs to no call with a recommendation that this process has seen. */
  | "unknown_call"
  /** The queue of reports is full. */
  | "queue_full"
  /** The span or the record of a log cannot be read. */
  | "unreadable"

export interface ProcessorOptions {
  /** The client whose queue the reports go through. */
  readonly sextant: Pick<Sextant, "models" | "report" | "flush">
  /** Rules by the name of the evaluation; null ignores it. */
  readonly evaluations?: Readonly<Record<string, EvaluationRule | null>>
  /** The rule of all others: by default a judge with scores from 0 to 1; null ignores them. */
  readonly otherEvaluations?: EvaluationRule | null
  /** The id in the service's catalog of a model that a span names; for names that are spelled otherwise. */
  readonly modelIdOf?: (name: string, attributes: Attributes) => string | undefined
  /** Called for what carries a recommendation, or evaluates, and is not reported. */
  readonly onSkipped?: (reason: SkippedReason, detail: string) => void
}

/** The attribute of a span that says which recommendation it follows. */
export const recommendationAttribute = "sextant.recommendation_id"
/** The attribute of a span that says which model runs, by its id in the service's catalog. */
export const modelAttribute = "sextant.model_id"

/** Longest key, in UTF-16 units. */
const keyMax = 200

const outcomes = { success: "success", aborted: "partial", outage: "failure", failure: "failure" } as const

export interface Reporter {
  readonly skip: (reason: SkippedReason, detail: string) => void
  /** The model that a span called; undefined for a span that is no call. */
  readonly modelOf: (attributes: Attributes) => string | undefined
  /** Reports a call from its span. */
  readonly called: (span: ReadableSpanLike, call: Known) => void
  /** The verdict of an evaluation by its rule; null, with a warning, if it has none. */
  readonly verdictOf: (result: Attributes) => Verdict | null
  /** Reports a verdict on a call. */
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
        // One result may come as an event of the span and as one of a log.
        idempotency_key: `${call.key}:${name}`.slice(0, keyMax).toWellFormed()
      })
    }
  }
}
