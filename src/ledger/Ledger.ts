/* The port of the ledger, which stores recommendations and the reports on them. */
import { Context, type Effect, Schema } from "effect"
import { BudgetPeriod } from "../domain/account/Budget.ts"
import type { Decision } from "../domain/Decision.ts"
import type { ReportedOutcome } from "../domain/feedback/FeedbackPrecedence.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import { deadline } from "../resilience/Deadline.ts"
import { portError, TimedOut } from "../resilience/FailureReason.ts"
import type { ReportResult, ReportSubmission } from "./ReportSubmission.ts"

/** The error of a failed read or write. The reason `Rejected` means that a repeated write would fail too. */
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
  /** Amount of the budget that must remain after the decisions are recorded, USD. */
  readonly keptUsd: number
}

/** The error of decisions that reserve more than is left of the account's budget. */
export class BudgetExhausted extends Schema.TaggedError<BudgetExhausted>()("BudgetExhausted", {
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
 * Once `record` succeeds, its decisions are durable. Recording a decision again changes nothing. If several
 * `applyReport` calls have the same key, one has effects, and the others get its answer. If `applyReport`
 * fails, the report has no effect, unless only its answer was lost.
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
   * Finds a decision with its outcomes at one moment; null if the account has no such decision. If `asOf` is
   * `"given"`, the process may answer from its cache, which lacks outcomes of other processes.
   */
  readonly find: (
    accountId: AccountId,
    recommendationId: RecommendationId,
    asOf?: "now" | "given"
  ) => Effect.Effect<FoundDecision | null, LedgerUnavailable>
  /**
   * Appends a report to the account's log with all its effects, or does nothing. Reports of an account are
   * applied one after another, because `applyReport` holds the lock of the account's log. Returns null if the
   * reported decision no longer exists.
   */
  readonly applyReport: (
    submission: ReportSubmission
  ) => Effect.Effect<ReportResult | null, LedgerUnavailable>
}>()("sextant/ledger/Ledger") {}
