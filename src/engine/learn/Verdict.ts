/* The verdict of a feedback: the quality that it teaches, its trust, and whether it is late. */
import type { Decision } from "../../domain/Decision.ts"
import {
  type FeedbackRequest, type Provenance, provenanceOfSource, readSteps, stepOutcomesMax, successOf
} from "../../domain/feedback/Feedback.ts"
import { dayMs } from "../../domain/Time.ts"
import type { FeedbackWarning } from "../../domain/Warning.ts"
import { lessonQualityMin } from "../../memory/MemorySettings.ts"
import type { EngineSettings } from "../Settings.ts"

type VerdictRule = Pick<
  EngineSettings,
  | "attributionDays" | "provenanceWeight" | "qualityBand" | "qualityByOutcome" | "signalByOutcome"
  | "stepInfluence"
>

export interface Verdict {
  /** The quality that is recorded, in [0, 1], consistent with the outcome. */
  readonly quality: number
  /**
   * The quality that Sextant learns, in [0, 1], from the caller's score or else from the outcome and the
   * steps.
   */
  readonly taughtQuality: number
  readonly provenance: Provenance
  /** Trust in the label, in [0, 1]; a label with a trust of 0 teaches nothing. */
  readonly provenanceWeight: number
  /**
   * True if the label may change predictions, unlike self-checks, infrastructure faults and unjudged results.
   */
  readonly teaches: boolean
  /** A feedback after the attribution window may teach, but credits no neighbour. */
  readonly isLate: boolean
  /** True if a gate verified a strong success, from which memory makes a lesson. */
  readonly promotes: boolean
  readonly warnings: ReadonlyArray<FeedbackWarning>
}

/** Returns the named source, else what `judged` or `verifiedInProduction` means, else `assertion`. */
export const provenanceOf = (request: FeedbackRequest): Provenance =>
  request.evidenceSource !== null ? provenanceOfSource(request.evidenceSource)
    : request.judged === false ? "none"
    : request.verifiedInProduction ? "gate"
    : request.judged === true ? "judge"
    : "assertion"

const isOfInfrastructure = ({ errorCause, outcome }: FeedbackRequest): boolean =>
  errorCause === "infra" && outcome !== "success"

/**
 * From a success without a score or steps, Sextant learns 1, because learning the recorded 0.9 would keep
 * predictions below 0.9. Step outcomes move the quality within the outcome's band, so that a model with
 * better steps is preferred among models that succeed.
 */
const taughtQualityOf = (
  { qualityBand, signalByOutcome, stepInfluence }: VerdictRule,
  request: FeedbackRequest,
  quality: number
): number => {
  if (request.qualityScore !== null) return quality
  const success = successOf[request.outcome]
  const signals = readSteps(request).slice(0, stepOutcomesMax)
    .map(({ outcome, signal }) => signal ?? signalByOutcome[outcome])
  if (signals.length === 0) return success
  const reward = signals.reduce((sum, signal) => sum + signal, 0) / signals.length
  const [low, high] = qualityBand[request.outcome]
  return Math.min(high, Math.max(low, success + stepInfluence * (reward - signalByOutcome[request.outcome])))
}

export const verdict = (
  rule: VerdictRule,
  decision: Pick<Decision, "createdAt">,
  request: FeedbackRequest,
  now: Date
): Verdict => {
  const [low, high] = rule.qualityBand[request.outcome]
  const score = request.qualityScore ?? rule.qualityByOutcome[request.outcome]
  const quality = Math.min(high, Math.max(low, score))
  const provenance = provenanceOf(request)
  const provenanceWeight = isOfInfrastructure(request) ? 0 : rule.provenanceWeight[provenance]
  const isLate = now.getTime() - decision.createdAt.getTime() > rule.attributionDays * dayMs
  return {
    quality,
    taughtQuality: taughtQualityOf(rule, request, quality),
    provenance,
    provenanceWeight,
    teaches: provenanceWeight > 0,
    isLate,
    promotes: provenance === "gate" && request.outcome === "success" && quality >= lessonQualityMin,
    warnings: [
      ...(quality !== score ? ["quality_outcome_mismatch" as const] : []),
      ...(isLate ? ["late_feedback_no_attribution" as const] : [])
    ]
  }
}
