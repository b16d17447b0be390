/* A feedback that the engine gives to the ledger, with the pure function that plans its effects. */
import type { Effect } from "effect"
import type { SpendingDecision } from "../domain/account/Spending.ts"
import type { Decision } from "../domain/Decision.ts"
import type { FeedbackResponse } from "../domain/feedback/Feedback.ts"
import type { FeedbackReport, ReportedOutcome } from "../domain/feedback/FeedbackPrecedence.ts"
import type { MemoryWrite, Written } from "../domain/MemoryWrite.ts"
import type { AccountId, Lane } from "../domain/Scope.ts"
import type { FailureReason } from "../resilience/FailureReason.ts"
import type { JudgedPrediction, LaneNumbers, LaneRule } from "../stats/LaneNumbers.ts"

export interface ReportKey {
  readonly accountId: AccountId
  readonly idempotencyKey: string
  /** SHA-256 of the validated body, hexadecimal. */
  readonly fingerprint: string
}

/** The state of a decision before its next report, and the revision (number) of this report. */
export interface DecisionOutcomes {
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  /** The key of the decision's task; null if the key is not known. */
  readonly taskKey: string | null
  readonly revision: number
}

export interface StoredWrites {
  /** The result of each write, in order; null if the memory did not accept the write. */
  readonly written: ReadonlyArray<Written | null>
  /** True if the memory is remote; the report's row then stores the writes until memory accepts them. */
  readonly isElsewhere: boolean
  /** Updates this process's caches; run once the writes are durable. */
  readonly onDurable: Effect.Effect<void>
}

/** If memory writes cannot be stored, the reports are rolled back. */
export type StoreWrites = (
  accountId: AccountId,
  writes: ReadonlyArray<MemoryWrite>
) => Effect.Effect<StoredWrites, { readonly reason: FailureReason }>

export interface PlannedCalibration {
  readonly lane: Lane
  readonly trial: JudgedPrediction
  /** The prediction of `trial` with the label that is being replaced; null if no label is replaced. */
  readonly replaced: JudgedPrediction | null
  readonly rule: LaneRule
  readonly start: LaneNumbers
  /** Stores the lane's numbers in this process's cache; run once the numbers are durable. */
  readonly remember: (numbers: LaneNumbers) => Effect.Effect<void>
}

export interface ReportedCall {
  readonly provider: string
  readonly modelId: string
  /** A number that stands for the caller, in [0, 2^15), made from its key and the decision's user. */
  readonly reporter: number
  /** True if the infrastructure broke the call; a rate limit counts as such a failure. */
  readonly isBroken: boolean
  readonly isRateLimited: boolean
  readonly retryAfterMs: number | null
}

export interface ReportPlan {
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  readonly writes: ReadonlyArray<MemoryWrite>
  /** The reported call that a model's health counts; null if the report changes no model's health. */
  readonly call: ReportedCall | null
  /** The outcome that changes the lane's numbers; null if they do not change. */
  readonly calibration: PlannedCalibration | null
  /** Makes the answer from the results of the writes; a result is null if memory did not accept the write. */
  readonly answer: (written: ReadonlyArray<Written | null>) => FeedbackResponse
}

export interface ReportSubmission {
  readonly key: ReportKey
  /** The decision as read before the report's transaction, which may find the decision deleted. */
  readonly decision: Pick<Decision, "lane" | "recommendationId"> & SpendingDecision
  readonly report: FeedbackReport
  /** Key of the report's task; null if it has none. A decision on a named task keeps that task's key. */
  readonly taskKey: string | null
  readonly plan: (known: DecisionOutcomes) => ReportPlan
  readonly store: StoreWrites
}

export interface AppliedReport {
  readonly reception: "first"
  readonly response: FeedbackResponse
  readonly revision: number
  readonly plan: ReportPlan
  readonly isElsewhere: boolean
}

/** The stored answer of an earlier report with the same key; `same` means that both bodies are equal. */
export interface RepeatedReport {
  readonly reception: "same" | "other"
  readonly response: FeedbackResponse
}

export type ReportResult = AppliedReport | RepeatedReport
