import { Effect } from "effect"
import type { Decision, Reconciliation } from "../../domain/Decision.ts"
import type { FeedbackRequest } from "../../domain/Feedback.ts"
import type { Caller } from "../../domain/Scope.ts"
import { Ledger, type LedgerUnavailable } from "../../ledger/Ledger.ts"
import { Memory, type MemoryUnavailable, type Observation, type Taught } from "../../memory/Memory.ts"
import type { Verdict } from "./Verdict.ts"
import { stage } from "../Span.ts"

/** One feedback on its way through `learn/`. */
export interface Lesson {
  readonly caller: Caller
  readonly decision: Decision
  readonly request: FeedbackRequest
  readonly verdict: Verdict
  readonly now: Date
  /** Of the observation, chosen before the transaction so that a redelivery is the same row. */
  readonly observationId: string
}

const reconciliationOf = ({ now, request, verdict }: Lesson): Reconciliation => ({
  feedbackAt: now,
  chosenModelId: request.chosenModelId,
  outcome: request.outcome,
  quality: verdict.quality,
  provenance: verdict.provenance,
  errorCause: request.errorCause,
  teaches: verdict.teaches,
  isLate: verdict.isLate,
  actualCostUsd: request.actualCostUsd,
  inputTokens: request.inputTokens,
  outputTokens: request.outputTokens,
  latencyMs: request.latencyMs
})

const observationOf = ({ caller, decision, now, observationId, request, verdict }: Lesson): Observation => ({
  caller,
  lane: decision.lane,
  observationId,
  task: decision.taskExcerpt,
  taskType: decision.taskType,
  difficulty: decision.difficulty,
  cluster: decision.cluster,
  tags: decision.tags,
  userId: decision.userId,
  modelId: request.chosenModelId,
  outcome: request.outcome,
  quality: verdict.taughtQuality,
  provenance: verdict.provenance,
  provenanceWeight: verdict.provenanceWeight,
  // The logged propensity is the recommended model's; another model was the caller's choice, not ours.
  propensity:
    decision.selectionPolicy === "epsilon_softmax" && request.chosenModelId === decision.recommendedModelId
      ? decision.propensity
      : null,
  inputTokens: request.inputTokens,
  outputTokens: request.outputTokens,
  costUsd: request.actualCostUsd,
  latencyMs: request.latencyMs,
  occurredAt: now
})

/** Writes the feedback onto its decision: durable with the claim it runs under. */
export const reconcile = Effect.fnUntraced(function*(
  lesson: Lesson
): Effect.fn.Return<void, LedgerUnavailable, Ledger> {
  yield* (yield* Ledger).reconcile(
    lesson.caller.accountId,
    lesson.decision.recommendationId,
    reconciliationOf(lesson)
  )
}, stage("reconcile"))

/** Teaches the outcome to memory: the observation, and the durable record of its (cluster, model). */
export const record = Effect.fnUntraced(function*(
  lesson: Lesson
): Effect.fn.Return<Taught, MemoryUnavailable, Memory> {
  return yield* (yield* Memory).teach(observationOf(lesson), lesson.verdict.teaches)
}, stage("record"))
