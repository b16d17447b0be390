/* The verdict of a feedback: the quality that it teaches, its trust, and whether it is late. */
import type { Decision } from "../../domain/Decision.ts"
import { type FeedbackRequest, type Provenance, readSteps, stepOutcomesMax } from "../../domain/Feedback.ts"
import { dayMs } from "../../domain/Time.ts"
import type { FeedbackWarning } from "../../domain/Warning.ts"
import { lessonQualityMin } from "../../memory/MemorySettings.ts"
import type { EngineSettings } from "../Settings.ts"

type VerdictRule = Pick<
  EngineSettings,
  | "attributionDays" | "provenanceWeight" | "qualityBand" | "qualityByOutcome" | "signalByOutcome"
  | "stepInfluence"
>

/** What one feedback may teach. */
export interface Verdict {
  /** In [0, 1], consistent with the outcome. */
  readonly quality: number
  /** The quality that is taught: `quality`, moved by the steps where the caller gave no score. In [0, 1]. */
  readonly taughtQuality: number
  readonly provenance: Provenance
  /** In [0, 1]; 0 does not teach. */
  readonly provenanceWeight: number
  /** May move the posterior: neither telemetry only nor an infrastructure fault. */
  readonly teaches: boolean
  /** Came after the attribution window: teaches, and credits no neighbour. */
  readonly isLate: boolean
  /** Gate-verified strong success: worth a lesson. */
  readonly promotes: boolean
  readonly warnings: ReadonlyArray<FeedbackWarning>
}

/**
 * Explicit source first, then the two deprecated flags, else the caller's bare assertion. `judged: false`
 * precedes `verified_in_production`: it says that there is no label, so nothing can be verified of it.
 */
export const provenanceOf = (request: FeedbackRequest): Provenance =>
  request.evidenceSource
    ?? (request.judged === false ? "none"
      : request.verifiedInProduction ? "gate"
      : request.judged === true ? "judge"
      : "assertion")

/**
 * Whether the label is of the infrastructure and not of the model. A success names no error, so a cause
 * beside it is ignored.
 */
const isOfInfrastructure = ({ errorCause, outcome }: FeedbackRequest): boolean =>
  errorCause === "infra" && outcome !== "success"

/**
 * Where the caller gave no score, the outcome's default, moved by what the steps showed beyond it and
 * kept in the outcome's band: of two models that succeed, the one whose steps succeed is preferred.
 */
const taughtQualityOf = (
  { qualityBand, signalByOutcome, stepInfluence }: VerdictRule,
  request: FeedbackRequest,
  quality: number
): number => {
  const signals = readSteps(request).slice(0, stepOutcomesMax)
    .map(({ outcome, signal }) => signal ?? signalByOutcome[outcome])
  if (request.qualityScore !== null || signals.length === 0) return quality
  const reward = signals.reduce((sum, signal) => sum + signal, 0) / signals.length
  const [low, high] = qualityBand[request.outcome]
  return Math.min(high, Math.max(low, quality + stepInfluence * (reward - signalByOutcome[request.outcome])))
}

/** Pure: score default, clamp, provenance, infrastructure, lateness. */
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
