/* The form in which the ledger gets a feedback; its plan is made under the lock of its account's log. */
import type { Effect } from "effect"
import type { SpendingDecision } from "../domain/account/Spending.ts"
import type { Decision } from "../domain/Decision.ts"
import type { FeedbackResponse } from "../domain/feedback/Feedback.ts"
import type { FeedbackReport, ReportedOutcome } from "../domain/feedback/FeedbackPrecedence.ts"
import type { MemoryWrite, Written } from "../domain/MemoryWrite.ts"
import type { AccountId, Lane } from "../domain/Scope.ts"
import type { FailureReason } from "../resilience/FailureReason.ts"
import type { JudgedPrediction, LaneNumbers, LaneRule } from "../stats/LaneNumbers.ts"

/** The idempotency key under which a feedback counts once. */
export interface ReportKey {
  readonly accountId: AccountId
  readonly idempotencyKey: string
  /** SHA-256 of the canonical validated body, hex. */
  readonly fingerprint: string
}

/** The outcomes of a decision's reports, and the revision of the next report. */
export interface DecisionOutcomes {
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  /** The key of the decision's task; null if it is not known. */
  readonly taskKey: string | null
  readonly revision: number
}

/** The results of writes in the transaction that makes them durable. */
export interface StoredWrites {
  /** The result of each write, in order; null if the memory did not take it. */
  readonly written: ReadonlyArray<Written | null>
  /** Whether the memory is remote: a report keeps its writes until the memory has taken them. */
  readonly isElsewhere: boolean
  /** Updates this process's caches, once the writes are durable. */
  readonly onDurable: Effect.Effect<void>
}

/** Carries out an account's writes, in order, in the transaction that is open; a failure ends it. */
export type StoreWrites = (
  accountId: AccountId,
  writes: ReadonlyArray<MemoryWrite>
) => Effect.Effect<StoredWrites, { readonly reason: FailureReason }>

/** One outcome with the predictions that the lane's predictors made for it. */
export interface PlannedCalibration {
  readonly lane: Lane
  readonly trial: JudgedPrediction
  /** The trial of the replaced label; null without one. */
  readonly replaced: JudgedPrediction | null
  readonly rule: LaneRule
  /** The numbers of a lane that has learned nothing. */
  readonly start: LaneNumbers
  /** Caches the lane's numbers in this process, once they are durable. */
  readonly remember: (numbers: LaneNumbers) => Effect.Effect<void>
}

/** A call of a model, as a feedback reports it. */
export interface ReportedCall {
  readonly provider: string
  /** The model itself, also where a variant of it ran. */
  readonly modelId: string
  /** A number of the caller, in [0, 2^15), from its key and the user that it names. */
  readonly reporter: number
  /** Whether the infrastructure broke it, a rate limit among them. */
  readonly isBroken: boolean
  readonly isRateLimited: boolean
  readonly retryAfterMs: number | null
}

/** The effects of a feedback as one more report of its decision. It is a pure function of its arguments. */
export interface ReportPlan {
  /** The outcomes of all reports with this one. */
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  /** Its writes to memory, in order. */
  readonly writes: ReadonlyArray<MemoryWrite>
  /** Its report on the health of its model; null for none. */
  readonly call: ReportedCall | null
  /** The change of the lane's numbers, or null. */
  readonly calibration: PlannedCalibration | null
  /** The answer, from the results of the writes; a result is null if the memory did not take the write. */
  readonly answer: (written: ReadonlyArray<Written | null>) => FeedbackResponse
}

/** A feedback on a decision, ready to be appended to its account's log. */
export interface ReportSubmission {
  readonly key: ReportKey
  /** The decision that it reports on; it may have been deleted meanwhile. */
  readonly decision: Pick<Decision, "lane" | "recommendationId"> & SpendingDecision
  /** The content of the feedback, stored under its key. */
  readonly report: FeedbackReport
  /** The task that the report names; it counts if the decision has none. */
  readonly taskKey: string | null
  readonly plan: (known: DecisionOutcomes) => ReportPlan
  readonly store: StoreWrites
}

/** A report that was appended now. */
export interface AppliedReport {
  readonly reception: "first"
  readonly response: FeedbackResponse
  readonly revision: number
  readonly plan: ReportPlan
  /** Whether a remote memory still lacks the writes. */
  readonly isElsewhere: boolean
}

/** An earlier call's answer under the key: `same` for this body, `other` for another one. */
export interface RepeatedReport {
  readonly reception: "same" | "other"
  readonly response: FeedbackResponse
}

export type ReportResult = AppliedReport | RepeatedReport
