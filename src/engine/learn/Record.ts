import { Effect } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import type { FeedbackRequest } from "../../domain/Feedback.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { isCostOutlier } from "../../domain/CostOutlier.ts"
import { Ledger, type LedgerUnavailable } from "../../ledger/Ledger.ts"
import {
  type Foreseen, isBroken, type Measurements, type Report, reported, type ReportedOutcome, weightOf
} from "../../domain/ReportPrecedence.ts"
import { Memory, type MemoryUnavailable, type Observation, type Taught } from "../../memory/Memory.ts"
import { type defaults, Settings } from "../Settings.ts"
import type { Verdict } from "./Verdict.ts"
import { stage } from "../../telemetry/Tracing.ts"

/** One feedback on its way through `learn/`, before its decision is asked what it comes to. */
export interface Told {
  readonly accountId: AccountId
  readonly decision: Decision
  readonly request: FeedbackRequest
  readonly verdict: Verdict
  readonly now: Date
  /** Of the outcome of this decision and model: all its reports teach one observation. */
  readonly observationId: string
}

/** A feedback, and what it makes of its decision's outcome. */
export interface Lesson extends Told {
  /** What stood before it; null without an earlier report on the model. */
  readonly before: ReportedOutcome | null
  /** What stands after it; null when the decision takes no more models. */
  readonly outcome: ReportedOutcome | null
}

/** What the ledger keeps of a feedback. */
export const reportOf = ({ now, request, verdict }: Pick<Told, "now" | "request" | "verdict">): Report => ({
  feedbackAt: now,
  chosenModelId: request.chosenModelId,
  outcome: request.outcome,
  quality: verdict.quality,
  taughtQuality: verdict.taughtQuality,
  provenance: verdict.provenance,
  provenanceWeight: verdict.provenanceWeight,
  errorCause: request.errorCause,
  teaches: verdict.teaches,
  isLate: verdict.isLate,
  actualCostUsd: request.actualCostUsd,
  inputTokens: request.inputTokens,
  outputTokens: request.outputTokens,
  latencyMs: request.latencyMs
})

/** A call that the infrastructure broke took what it took; another outcome is measured without such calls. */
const measuredOf = ({ billed, label, measured }: ReportedOutcome): Measurements =>
  isBroken(label) ? billed : measured

/** All reports of the decision's model as the one outcome that they are. */
const observationOf = (
  { accountId, decision, observationId }: Lesson,
  outcome: ReportedOutcome,
  settings: typeof defaults
): Observation => {
  const { label, modelId, revision, verdictRevision } = outcome
  const measured = measuredOf(outcome)
  return {
    accountId,
    lane: decision.lane,
    observationId,
    revision,
    verdictRevision,
    task: decision.taskExcerpt,
    ...(decision.taskVectors === undefined ? {} : { taskVectors: decision.taskVectors }),
    taskType: decision.taskType,
    difficulty: decision.difficulty,
    cluster: decision.cluster,
    tags: decision.tags,
    userId: decision.userId,
    modelId,
    outcome: label.outcome,
    quality: label.taughtQuality,
    provenance: label.provenance,
    provenanceWeight: weightOf(label, settings.provenanceWeight),
    // The logged propensity is the recommended model's; another model was the caller's choice, not ours.
    propensity: decision.selectionPolicy === "epsilon_softmax" && modelId === decision.recommendedModelId
      ? decision.propensity
      : null,
    inputTokens: measured.inputTokens,
    outputTokens: measured.outputTokens,
    costUsd: measured.actualCostUsd,
    latencyMs: measured.latencyMs,
    isCostOutlier: isCostOutlier(measured.actualCostUsd, decision.costPremiumUsd, settings),
    occurredAt: label.feedbackAt
  }
}

/** Takes the feedback as one more report of its decision: durable with the claim it runs under. */
export const reconcile = Effect.fnUntraced(function*(
  told: Told,
  foreseen: Foreseen | null
): Effect.fn.Return<Lesson, LedgerUnavailable, Ledger | Settings> {
  const { modelsPerDecisionMax } = yield* Settings
  const { recommendationId } = told.decision
  const report = reportOf(told)
  const rule = { modelsMax: modelsPerDecisionMax, foreseen }
  const counted = yield* (yield* Ledger).reconcile(told.accountId, recommendationId, report, rule)
  // A decision that retention took meanwhile has no other reports.
  const { after, before } = counted ?? reported([], report, 1, rule)
  return { ...told, before, outcome: after }
}, stage("reconcile"))

/** Teaches the outcome to memory: the observation, and the durable record of its (cluster, model). */
export const record = Effect.fnUntraced(function*(
  lesson: Lesson
): Effect.fn.Return<Taught | null, MemoryUnavailable, Memory | Settings> {
  const { outcome } = lesson
  if (outcome === null) return null
  return yield* (yield* Memory).teach(observationOf(lesson, outcome, yield* Settings), outcome.label.teaches)
}, stage("record"))
