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

/**
 * The ledger could not be read or written; `reason` says why. `Rejected`: it refuses these values for good.
 */
export class LedgerUnavailable extends portError<LedgerUnavailable>()("LedgerUnavailable", {}) {
  /** The failure of a call without an answer within `limitMs` milliseconds. */
  static timedOut(limitMs: number): LedgerUnavailable {
    return new LedgerUnavailable({ reason: new TimedOut({ limitMs }) })
  }

  /** Bounds how long a caller waits, to `limitMs` milliseconds. */
  static within(limitMs: number) {
    return deadline(limitMs, () => LedgerUnavailable.timedOut(limitMs))
  }
}

/** How decisions are checked against the rest of their account's budget. */
export interface BudgetCheck {
  /** Bills per estimate: the factor on estimates. */
  readonly billsPerEstimate: number
  /** Part of the budget that must be left afterwards, USD. */
  readonly keptUsd: number
}

/** The decisions reserve more than is left of the account's budget. */
export class BudgetExhausted extends Schema.TaggedError<BudgetExhausted>()("BudgetExhausted", {
  /** The budget, USD in each period. */
  usd: Schema.Finite,
  period: BudgetPeriod,
  /** End of the period, ms since 1970. */
  endsAtMs: Schema.Finite
}) {}

/** A decision with its outcomes. */
export interface FoundDecision {
  readonly decision: Decision
  /** The outcomes of its reports. */
  readonly outcomes: ReadonlyArray<ReportedOutcome>
}

/**
 * Every recommendation of an account, with its reports. The contract suite checks: `record` is durable when
 * it returns, and a repeated decision changes nothing. An id of another account resolves to null. Of
 * concurrent `applyReport` calls under one key exactly one has effects, and all have the same answer. A
 * report that fails leaves no trace, unless only its answer was lost.
 */
export class Ledger extends Context.Service<Ledger, {
  readonly record: (
    decisions: readonly [Decision, ...Array<Decision>]
  ) => Effect.Effect<void, LedgerUnavailable>
  /**
   * Records one account's decisions, all or none, if their reserves fit into the rest of its budget, which
   * all processes share. Decisions that reserve nothing always fit.
   */
  readonly recordWithin: (
    decisions: readonly [Decision, ...Array<Decision>],
    check: BudgetCheck
  ) => Effect.Effect<void, BudgetExhausted | LedgerUnavailable>
  /**
   * A decision with its outcomes, as of one moment; null if the account has no such decision. The moment is
   * now, or an earlier one if the caller accepts that and this process gave the decision.
   */
  readonly find: (
    accountId: AccountId,
    recommendationId: RecommendationId,
    asOf?: "now" | "given"
  ) => Effect.Effect<FoundDecision | null, LedgerUnavailable>
  /**
   * Appends a report to the account's log with all its effects, or does nothing. Under the log's lock the
   * report is planned from the decision's earlier reports, its writes are stored, and its lane's numbers
   * move. Null if the account has no such decision any more. Reports of an account take turns on all copies.
   */
  readonly applyReport: (
    submission: ReportSubmission
  ) => Effect.Effect<ReportResult | null, LedgerUnavailable>
}>()("sextant/ledger/Ledger") {}
