import type { Decision } from "../../domain/Decision.ts"
import { type FeedbackRequest, type Provenance, readSteps } from "../../domain/Feedback.ts"
import { dayMs } from "../../domain/Time.ts"
import type { FeedbackWarning } from "../../domain/Warning.ts"
import type { defaults } from "../Settings.ts"

/** What one feedback may teach. */
export interface Verdict {
  /** In [0, 1], consistent with the outcome. */
  readonly quality: number
  /** What memory learns of it: where the caller scored nothing, moved by how the steps held. In [0, 1]. */
  readonly taughtQuality: number
  readonly provenance: Provenance
  /** In [0, 1]; 0 does not teach. */
  readonly provenanceWeight: number
  /** May move the posterior: neither telemetry only nor an infrastructure fault. */
  readonly teaches: boolean
  /** Came after the attribution window: teaches, credits nobody. */
  readonly isLate: boolean
  /** Gate-verified strong success: worth a lesson. */
  readonly promotes: boolean
  readonly warnings: ReadonlyArray<FeedbackWarning>
}

/** Explicit source first, then the two deprecated flags, else the caller's bare assertion. */
export const provenanceOf = (request: FeedbackRequest): Provenance =>
  request.evidenceSource
    ?? (request.verifiedInProduction ? "gate"
      : request.judged === true ? "judge"
      : request.judged === false ? "none"
      : "assertion")

/**
 * Where the caller gave no score, the outcome's default, moved by what the steps showed beyond it and
 * kept in its band: of two models that succeed, the one whose steps hold is preferred.
 */
const taughtQualityOf = (settings: typeof defaults, request: FeedbackRequest, quality: number): number => {
  const { qualityBand, signalByOutcome, stepInfluence, stepOutcomesMax } = settings
  const signals = readSteps(request).slice(0, stepOutcomesMax)
    .map(({ outcome, signal }) => signal ?? signalByOutcome[outcome])
  if (request.qualityScore !== null || signals.length === 0) return quality
  const reward = signals.reduce((sum, signal) => sum + signal, 0) / signals.length
  const [low, high] = qualityBand[request.outcome]
  return Math.min(high, Math.max(low, quality + stepInfluence * (reward - signalByOutcome[request.outcome])))
}

/** Pure: score default, clamp, provenance, infrastructure, lateness (design section 5, "Learn"). */
export const verdict = (
  settings: typeof defaults,
  decision: Pick<Decision, "createdAt">,
  request: FeedbackRequest,
  now: Date
): Verdict => {
  const [low, high] = settings.qualityBand[request.outcome]
  const score = request.qualityScore ?? settings.qualityByOutcome[request.outcome]
  const quality = Math.min(high, Math.max(low, score))
  const provenance = provenanceOf(request)
  const isInfra = request.outcome === "failure" && request.errorCause === "infra"
  const provenanceWeight = isInfra ? 0 : settings.provenanceWeight[provenance]
  const isLate = now.getTime() - decision.createdAt.getTime() > settings.attributionDays * dayMs
  return {
    quality,
    taughtQuality: taughtQualityOf(settings, request, quality),
    provenance,
    provenanceWeight,
    teaches: provenanceWeight > 0,
    isLate,
    promotes: provenance === "gate" && request.outcome === "success" && quality >= settings.lessonQualityMin,
    warnings: [
      ...(quality !== score ? ["quality_outcome_mismatch" as const] : []),
      ...(isLate ? ["late_feedback_no_attribution" as const] : [])
    ]
  }
}
