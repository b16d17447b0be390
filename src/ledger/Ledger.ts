/* The port of the ledger: every recommendation and its reports. */
import { Context, type Effect, Schema } from "effect"
import { BudgetPeriod } from "../domain/account/Budget.ts"
import type { Decision } from "../domain/Decision.ts"
import type { ReportedOutcome } from "../domain/feedback/FeedbackPrecedence.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import { deadline } from "../resilience/Deadline.ts"
import { portError, TimedOut } from "../resilience/FailureReason.ts"
import type { ReportResult, ReportSubmission } from "./ReportSubmission.ts"

/** The ledger could not be read or written. The reason `Rejected` means that it never takes these values. */
export class LedgerUnavailable extends portError<LedgerUnavailable>()("LedgerUnavailable", {}) {
  /** The failure of a call without an answer within `limitMs` milliseconds. */
  static timedOut(limitMs: number): LedgerUnavailable {
    return new LedgerUnavailable({ reason: new TimedOut({ limitMs }) })
  }

  /** Fails if the effect takes longer than `limitMs` milliseconds. */
  static within(limitMs: number) {
    return deadline(limitMs, () => LedgerUnavailable.timedOut(limitMs))
  }
}

/** The numbers by which decisions are checked against the rest of their account's budget. */
export interface BudgetCheck {
  /** Bills divided by estimates, the factor on the decisions' estimates. */
  readonly billsPerEstimate: number
  /** Part of the budget that must be left after the decisions, USD. */
  readonly keptUsd: number
}

/** The error when decisions reserve more than is left of the account's budget. */
export class BudgetExhausted extends Schema.TaggedError<BudgetExhausted>()("BudgetExhausted", {
  /** The budget, USD in each period. */
  usd: Schema.Finite,
  period: BudgetPeriod,
  /** End of the period, ms since 1970. */
  endsAtMs: Schema.Finite
}) {}

/** A decision with the outcomes of its reports. */
export interface FoundDecision {
  readonly decision: Decision
  readonly outcomes: ReadonlyArray<ReportedOutcome>
}

/**
 * Every recommendation of an account, with its reports. A contract suite checks these promises. `record` is
 * durable when it returns, and a repeated decision changes nothing. An id of another account resolves to
 * null. Of concurrent `applyReport` calls under one key exactly one has effects, and all get the same answer.
 * A failed report leaves no trace, unless only its answer was lost.
 */
export class Ledger extends Context.Service<Ledger, {
  readonly record: (
    decisions: readonly [Decision, ...Array<Decision>]
  ) => Effect.Effect<void, LedgerUnavailable>
  /**
   * Records one account's decisions if their reserves fit into the rest of its budget; otherwise records
   * none. All processes share the budget. Decisions that reserve nothing always fit.
   */
  readonly recordWithin: (
    decisions: readonly [Decision, ...Array<Decision>],
    check: BudgetCheck
  ) => Effect.Effect<void, BudgetExhausted | LedgerUnavailable>
  /**
   * Finds a decision with its outcomes, both as of one moment; null if the account has no such decision. With
   * `"given"` the moment may be earlier than now: this process answers from its own memory if it made the
   * decision.
   */
  readonly find: (
    accountId: AccountId,
    recommendationId: RecommendationId,
    asOf?: "now" | "given"
  ) => Effect.Effect<FoundDecision | null, LedgerUnavailable>
  /**
   * Appends a report to the account's log with all its effects, or does nothing. It holds the log's lock, so
   * reports of an account take turns on all copies. It plans the report from the decision's earlier reports,
   * stores the planned writes, and updates the lane's numbers. Null if the decision was deleted.
   */
  readonly applyReport: (
    submission: ReportSubmission
  ) => Effect.Effect<ReportResult | null, LedgerUnavailable>
}>()("sextant/ledger/Ledger") {}
