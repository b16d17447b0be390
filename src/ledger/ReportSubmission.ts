/* A feedback as the engine hands it to the ledger, with the pure function that plans its effects. */
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

/** The state of a decision before its next report, and that report's revision. */
export interface DecisionOutcomes {
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  /** The key of the decision's task; null if it is not known. */
  readonly taskKey: string | null
  readonly revision: number
}

/** The results of writes to memory, in the transaction that makes them durable. */
export interface StoredWrites {
  /** The result of each write, in order; null if the memory did not take the write. */
  readonly written: ReadonlyArray<Written | null>
  /** True for a remote memory. The report then keeps its writes until the memory has taken them. */
  readonly isElsewhere: boolean
  /** Updates this process's caches. To be run once the writes are durable. */
  readonly onDurable: Effect.Effect<void>
}

/** Carries out an account's writes, in order, in the open transaction. A failure ends the transaction. */
export type StoreWrites = (
  accountId: AccountId,
  writes: ReadonlyArray<MemoryWrite>
) => Effect.Effect<StoredWrites, { readonly reason: FailureReason }>

/** One outcome with the predictions that the lane's predictors made for it. */
export interface PlannedCalibration {
  readonly lane: Lane
  readonly trial: JudgedPrediction
  /** The trial of the label that this one replaces; null if it replaces none. */
  readonly replaced: JudgedPrediction | null
  readonly rule: LaneRule
  /** The numbers from which a lane that has learned nothing starts. */
  readonly start: LaneNumbers
  /** Caches the lane's numbers in this process. To be run once they are durable. */
  readonly remember: (numbers: LaneNumbers) => Effect.Effect<void>
}

/** A call of a model, as a feedback reports it to models' health. */
export interface ReportedCall {
  readonly provider: string
  /** The id of the model without its level of effort. */
  readonly modelId: string
  /** A number of the caller, in [0, 2^15), made from its key and the user that it names. */
  readonly reporter: number
  /** True if the infrastructure broke the call. A rate limit counts too. */
  readonly isBroken: boolean
  readonly isRateLimited: boolean
  readonly retryAfterMs: number | null
}

/** The planned effects of a feedback, as one more report of its decision. */
export interface ReportPlan {
  /** The decision's outcomes after this report. */
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  /** The writes to memory, in order. */
  readonly writes: ReadonlyArray<MemoryWrite>
  /** The call that counts for the model's health; null for none. */
  readonly call: ReportedCall | null
  /** The outcome that changes the lane's numbers; null for none. */
  readonly calibration: PlannedCalibration | null
  /** Makes the answer from the results of the writes, null for each that the memory did not take. */
  readonly answer: (written: ReadonlyArray<Written | null>) => FeedbackResponse
}

/** A feedback on a decision, ready to be appended to its account's log. */
export interface ReportSubmission {
  readonly key: ReportKey
  /** The reported decision, as it was found. It may have been deleted since. */
  readonly decision: Pick<Decision, "lane" | "recommendationId"> & SpendingDecision
  /** The content of the feedback, which is stored with its key. */
  readonly report: FeedbackReport
  /** The task that the report names, for a decision without a task of its own. */
  readonly taskKey: string | null
  readonly plan: (known: DecisionOutcomes) => ReportPlan
  readonly store: StoreWrites
}

/** The result of a report that is new to the log. */
export interface AppliedReport {
  readonly reception: "first"
  readonly response: FeedbackResponse
  readonly revision: number
  readonly plan: ReportPlan
  /** True if the writes still have to reach a remote memory. */
  readonly isElsewhere: boolean
}

/** The stored answer of an earlier report under the key. `same`: that report had the same body. */
export interface RepeatedReport {
  readonly reception: "same" | "other"
  readonly response: FeedbackResponse
}

export type ReportResult = AppliedReport | RepeatedReport
