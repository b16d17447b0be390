/* Makes reports: of a call from its span, and of an evaluation from its event. */
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
  /** The call failed with an error of the caller, which shows nothing about the model. */
  | "callers_error"
  /** The span contains a call that was reported already. */
  | "reported_below"
  /** The rule knows neither the result's score nor its label. */
  | "unknown_score"
  | "evaluation_failed"
  /** This process has seen no call with a recommendation for the evaluation. */
  | "unknown_call"
  | "queue_full"
  | "unreadable"

export interface ProcessorOptions {
  readonly sextant: Pick<Sextant, "models" | "report" | "flush">
  /** Rules by the evaluation's name; null ignores the evaluation. */
  readonly evaluations?: Readonly<Record<string, EvaluationRule | null>>
  /** The rule of all other evaluations: by default a judge with scores from 0 to 1; null ignores them. */
  readonly otherEvaluations?: EvaluationRule | null
  /** Returns the catalog id of a span's model, if the span has another name for it. */
  readonly modelIdOf?: (name: string, attributes: Attributes) => string | undefined
  /** Called for each evaluation, and each call with a recommendation, that is not reported. */
  readonly onSkipped?: (reason: SkippedReason, detail: string) => void
}

/** The span attribute with the id of its recommendation. */
export const recommendationAttribute = "sextant.recommendation_id"
/** The span attribute with the catalog id of the model that runs. */
export const modelAttribute = "sextant.model_id"

/** Longest key, in UTF-16 units. */
const keyMax = 200

const outcomes = { success: "success", aborted: "partial", outage: "failure", failure: "failure" } as const

export interface Reporter {
  readonly skip: (reason: SkippedReason, detail: string) => void
  /** The catalog id of a span's model; undefined if the span is no call. */
  readonly modelOf: (attributes: Attributes) => string | undefined
  readonly called: (span: ReadableSpanLike, call: Known) => void
  /** The verdict of an evaluation. Null without one, which is passed to `skip` unless the rule ignores it. */
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
        // One result may come twice: as an event of its span and of a log.
        idempotency_key: `${call.key}:${name}`.slice(0, keyMax).toWellFormed()
      })
    }
  }
}
