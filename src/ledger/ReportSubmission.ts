/* A feedback as it is handed to the ledger: its plan is made under the lock of its account's log. */
import type { Effect } from "effect"
import type { SpendingDecision } from "../domain/account/Spending.ts"
import type { Decision } from "../domain/Decision.ts"
import type { FeedbackResponse } from "../domain/Feedback.ts"
import type { FeedbackReport, ReportedOutcome } from "../domain/FeedbackPrecedence.ts"
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

/** What a decision's reports come to, and the revision of the report that is added to them. */
export interface DecisionOutcomes {
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  /** The key of the decision's task; null where it is not known. */
  readonly taskKey: string | null
  readonly revision: number
}

/** What became of writes in the transaction that makes them durable. */
export interface StoredWrites {
  /** What each write came to, in order; null for one that the memory did not take. */
  readonly written: ReadonlyArray<Written | null>
  /** Whether the memory is remote: a report keeps its writes until the memory has taken them. */
  readonly isElsewhere: boolean
  /** Lets this process know of the writes, once they are durable. */
  readonly onDurable: Effect.Effect<void>
}

/** Carries out an account's writes, in order, in the transaction that is open; a failure ends it. */
export type StoreWrites = (
  accountId: AccountId,
  writes: ReadonlyArray<MemoryWrite>
) => Effect.Effect<StoredWrites, { readonly reason: FailureReason }>

/** One outcome of what a lane's predictors had forecast. */
export interface PlannedCalibration {
  readonly lane: Lane
  readonly trial: JudgedPrediction
  /** The trial of the label that this one takes the place of; null without one. */
  readonly replaced: JudgedPrediction | null
  readonly rule: LaneRule
  /** The numbers of a lane that has learned nothing. */
  readonly start: LaneNumbers
  /** Lets this process know of the lane's numbers once they are durable. */
  readonly remember: (numbers: LaneNumbers) => Effect.Effect<void>
}

/** Tokens that a report adds to the use of a model's quota, and below 0 takes from it. */
export interface PrepaidChange {
  readonly modelId: string
  readonly tokens: number
}

/** A call of a model, as a feedback reports it. */
export interface ReportedCall {
  readonly provider: string
  /** The model itself, also where a variant of it ran. */
  readonly modelId: string
  /** A number that stands for the caller, in [0, 2^15): of its key and the user that it names. */
  readonly reporter: number
  /** Whether the infrastructure broke it, a rate limit among them. */
  readonly isBroken: boolean
  readonly isRateLimited: boolean
  readonly retryAfterMs: number | null
}

/** What a feedback comes to as one more of its decision's reports. Pure: what it rests on is its argument. */
export interface ReportPlan {
  /** What all reports come to with this one. */
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  /** By how much the report changes what is used of prepaid quotas; it counts where it is not 0. */
  readonly prepaid: ReadonlyArray<PrepaidChange>
  /** What it writes to memory, in order. */
  readonly writes: ReadonlyArray<MemoryWrite>
  /** What it says of whether its model can be called; null for nothing. */
  readonly call: ReportedCall | null
  /** Null where the lane's numbers stay as they are. */
  readonly calibration: PlannedCalibration | null
  /** The answer, by what each write came to; null for one that the memory did not take. */
  readonly answer: (written: ReadonlyArray<Written | null>) => FeedbackResponse
}

/** A feedback on a decision, ready to be appended to its account's log. */
export interface ReportSubmission {
  readonly key: ReportKey
  /** What it is of; the account may have it no longer. */
  readonly decision: Pick<Decision, "lane" | "recommendationId"> & SpendingDecision
  /** What the feedback says; kept under its key. */
  readonly report: FeedbackReport
  /** The task that the report names; it counts where the decision has none. */
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
