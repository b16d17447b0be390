/* The port of the ledger, which stores every recommendation and its reports. */
import { Context, type Effect, Schema } from "effect"
import { BudgetPeriod } from "../domain/account/Budget.ts"
import type { Decision } from "../domain/Decision.ts"
import type { ReportedOutcome } from "../domain/feedback/FeedbackPrecedence.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import { deadline } from "../resilience/Deadline.ts"
import { portError, TimedOut } from "../resilience/FailureReason.ts"
import type { ReportResult, ReportSubmission } from "./ReportSubmission.ts"

/** The failure to read or write the ledger. `Rejected` means that the ledger will never accept the values. */
export class LedgerUnavailable extends portError<LedgerUnavailable>()("LedgerUnavailable", {}) {
  static timedOut(limitMs: number): LedgerUnavailable {
    return new LedgerUnavailable({ reason: new TimedOut({ limitMs }) })
  }

  static within(limitMs: number) {
    return deadline(limitMs, () => LedgerUnavailable.timedOut(limitMs))
  }
}

export interface BudgetCheck {
  readonly billsPerEstimate: number
  /** Amount of the budget that must be left after the decisions, USD. */
  readonly keptUsd: number
}

/** The error of decisions that reserve more than is left of the account's budget. */
export class BudgetExhausted extends Schema.TaggedError<BudgetExhausted>()("BudgetExhausted", {
  /** The budget of each period, USD. */
  usd: Schema.Finite,
  period: BudgetPeriod,
  /** End of the period, ms since 1970. */
  endsAtMs: Schema.Finite
}) {}

export interface FoundDecision {
  readonly decision: Decision
  readonly outcomes: ReadonlyArray<ReportedOutcome>
}

/**
 * Stores every recommendation of an account with its reports. A contract suite checks the promises that
 * follow. A call of `record` is durable when it returns, and a repeated decision changes nothing. The id of
 * another account's decision resolves to null. If several `applyReport` calls use the same key at the same
 * time, exactly one has effects, and all get the same answer. A failed report leaves no trace, unless only
 * its answer was lost.
 */
export class Ledger extends Context.Service<Ledger, {
  readonly record: (
    decisions: readonly [Decision, ...Array<Decision>]
  ) => Effect.Effect<void, LedgerUnavailable>
  /**
   * Records decisions if their reserves fit into the amount left of the account's budget, otherwise none of
   * the decisions. All processes share the budget. Decisions that reserve nothing always fit.
   */
  readonly recordWithin: (
    decisions: readonly [Decision, ...Array<Decision>],
    check: BudgetCheck
  ) => Effect.Effect<void, BudgetExhausted | LedgerUnavailable>
  /**
   * Finds a decision with its outcomes at one moment; null if the account has no such decision. With
   * `"given"`, this moment may be earlier than now: the process answers from its own memory if it made the
   * decision.
   */
  readonly find: (
    accountId: AccountId,
    recommendationId: RecommendationId,
    asOf?: "now" | "given"
  ) => Effect.Effect<FoundDecision | null, LedgerUnavailable>
  /**
   * Appends a report to the account's log with all its effects, or does nothing. Reports of an account are
   * applied one at a time, because the call holds the log's lock. Returns null if the decision was deleted.
   */
  readonly applyReport: (
    submission: ReportSubmission
  ) => Effect.Effect<ReportResult | null, LedgerUnavailable>
}>()("sextant/ledger/Ledger") {}
