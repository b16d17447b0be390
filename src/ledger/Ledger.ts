/* The port of the ledger: every recommendation and its reports. */
import { Context, type Effect, Schema } from "effect"
import { BudgetPeriod } from "../domain/account/Budget.ts"
import type { Decision } from "../domain/Decision.ts"
import type { ReportedOutcome } from "../domain/FeedbackPrecedence.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import { deadline } from "../resilience/Deadline.ts"
import { portError, TimedOut } from "../resilience/FailureReason.ts"
import type { ReportResult, ReportSubmission } from "./ReportSubmission.ts"

/** The ledger could not be read or written; `reason` says why. `Rejected`: it refuses these very values. */
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

/** How decisions are checked against what is left of their account's budget. */
export interface BudgetCheck {
  /** The factor on estimates. */
  readonly billsPerEstimate: number
  /** What they must leave of the budget, USD. */
  readonly keptUsd: number
}

/** What the decisions reserve does not fit into what is left of the account's budget. */
export class BudgetExhausted extends Schema.TaggedError<BudgetExhausted>()("BudgetExhausted", {
  /** The budget, USD in each period. */
  usd: Schema.Finite,
  period: BudgetPeriod,
  /** End of the period, ms since 1970. */
  endsAtMs: Schema.Finite
}) {}

/** What the ledger has of a decision. */
export interface FoundDecision {
  readonly decision: Decision
  /** What its reports come to. */
  readonly outcomes: ReadonlyArray<ReportedOutcome>
}

/**
 * Every recommendation and what came of it, per account. Promises that the contract suite checks: `record` is
 * durable when it returns, and takes a repeated decision as the one it has; an id of another account
 * resolves to null; of any number of concurrent `applyReport` calls under one key exactly one has its
 * effects, and all answer the same response; a report that fails leaves no trace, unless its answer was lost.
 */
export class Ledger extends Context.Service<Ledger, {
  readonly record: (
    decisions: readonly [Decision, ...Array<Decision>]
  ) => Effect.Effect<void, LedgerUnavailable>
  /**
   * {@link record} of one account's decisions, all or none, if what they reserve fits into what is left of
   * its budget for all processes. Decisions that reserve nothing always fit.
   */
  readonly recordWithin: (
    decisions: readonly [Decision, ...Array<Decision>],
    check: BudgetCheck
  ) => Effect.Effect<void, BudgetExhausted | LedgerUnavailable>
  /**
   * A decision, with what its reports come to, as of one moment; null where the account has no such decision.
   * The moment is `now` unless a former one will do, of a decision that this process gave.
   */
  readonly find: (
    accountId: AccountId,
    recommendationId: RecommendationId,
    asOf?: "now" | "given"
  ) => Effect.Effect<FoundDecision | null, LedgerUnavailable>
  /**
   * Appends a report to the account's log and does all that it does, or nothing: under the log's lock it is
   * planned from the reports that its decision has, its writes are stored, and its lane's numbers move. Null
   * where the account has no such decision any more. Reports of an account take turns on all copies.
   */
  readonly applyReport: (
    submission: ReportSubmission
  ) => Effect.Effect<ReportResult | null, LedgerUnavailable>
}>()("sextant/ledger/Ledger") {}
