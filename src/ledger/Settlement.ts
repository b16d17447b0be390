/* The settlement of a feedback as values: one statement carries out those of a group. */
import type { Effect } from "effect"
import type { SpendingDecision } from "../domain/account/Spending.ts"
import type { Decision } from "../domain/Decision.ts"
import type { FeedbackResponse } from "../domain/Feedback.ts"
import type { FeedbackReport, ReportedOutcome } from "../domain/FeedbackPrecedence.ts"
import type { AccountId, Lane } from "../domain/Scope.ts"
import { byConsequence } from "../domain/Warning.ts"
import type { WriteRows, WrittenRows } from "../domain/WriteRows.ts"
import type { LaneNumbers, LaneRule, Trial } from "../stats/LaneNumbers.ts"

/** A feedback's claim to be counted once. */
export interface Claim {
  readonly accountId: AccountId
  readonly idempotencyKey: string
  /** SHA-256 of the canonical validated body, hex. */
  readonly fingerprint: string
}

/** The outcomes of a decision, and a new revision, above that of each of their reports. */
export interface DecisionOutcomes {
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  readonly revision: number
}

/** One outcome of what a lane's predictors had forecast. */
export interface PlannedCalibration {
  readonly lane: Lane
  readonly trial: Trial
  /** The trial of the label that this one takes the place of; null without one. */
  readonly replaced: Trial | null
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

/** A call of a model, as a feedback tells of it. */
export interface ReportedCall {
  readonly provider: string
  /** Without its effort. */
  readonly modelId: string
  /** A number that stands for the caller, in [0, 2^15): of its key and the user that it names. */
  readonly reporter: number
  /** Whether the infrastructure broke it, a rate limit among them. */
  readonly isBroken: boolean
  readonly isRateLimited: boolean
  readonly retryAfterMs: number | null
}

/** All that a feedback does, planned from the reports that its decision had when they were read. */
export interface Settlement {
  readonly claim: Claim
  /** What it is of; the account may have it no longer. */
  readonly decision: Pick<Decision, "recommendationId"> & SpendingDecision
  /** What the feedback says; kept under its key. */
  readonly report: FeedbackReport
  /** The outcomes that the plan rests on; null where the account has no such decision. */
  readonly before: ReadonlyArray<ReportedOutcome> | null
  /** The task that the report names; it counts where the decision has none. */
  readonly taskKey: string | null
  /** What they come to with the report. */
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  /** By how much the report changes what is used of prepaid quotas; it counts where it is not 0. */
  readonly prepaid: ReadonlyArray<PrepaidChange>
  readonly rows: WriteRows
  /** What it says of whether its model can be called; null for nothing. */
  readonly call: ReportedCall | null
  /** Lets this process know of the rows once they are durable. */
  readonly onWritten: (written: WrittenRows) => Effect.Effect<void>
  /** Null where the lane's numbers stay as they are. */
  readonly calibration: PlannedCalibration | null
  /** The answer, which what is written completes. */
  readonly response: FeedbackResponse
}

export interface SettledFeedback {
  readonly response: FeedbackResponse
  /**
   * `first`: the effects were applied now. `same` and `other`: an earlier call's answer, for this or another
   * body.
   */
  readonly claim: "first" | "same" | "other"
}

/** The decision has other reports than those that were planned from: nothing was done. */
export interface OutdatedSettlement {
  readonly claim: "outdated"
  /** Its reports now; null where the account has no such decision any more. */
  readonly known: DecisionOutcomes | null
}

/** The highest revision of a decision's reports, 0 without any: a plan holds as long as it stays the same. */
export const basisOf = (outcomes: ReadonlyArray<ReportedOutcome>): number =>
  Math.max(0, ...outcomes.map(({ revision }) => revision))

/** A planned answer with what was written. */
export const completed = (response: FeedbackResponse, written: WrittenRows | null): FeedbackResponse => {
  if (written === null) return response
  const { entryIds, isDue, recordId, stepsRecorded, updatedConfidence } = written
  const isPartial = stepsRecorded !== null && stepsRecorded < response.stepOutcomesRecorded
  const isWarned = response.warnings.includes("step_outcomes_partial")
  return {
    ...response,
    recordId: recordId ?? response.recordId,
    reflectionTriggered: isDue ?? response.reflectionTriggered,
    reinforcedEntryIds: entryIds ?? response.reinforcedEntryIds,
    updatedConfidence: entryIds === null ? response.updatedConfidence : updatedConfidence,
    stepOutcomesRecorded: stepsRecorded ?? response.stepOutcomesRecorded,
    warnings: isPartial && !isWarned
      ? byConsequence([...response.warnings, "step_outcomes_partial"])
      : response.warnings
  }
}
