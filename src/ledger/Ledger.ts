/* The port of the ledger: every recommendation, and what came of it. */
import { Context, type Effect, Schema } from "effect"
import { BudgetPeriod } from "../domain/Budget.ts"
import type { Decision, LedgerRow } from "../domain/Decision.ts"
import type { FeedbackResponse } from "../domain/Feedback.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { ReportEffect, FeedbackReport, ReportRule, ReportedOutcome } from "../domain/ReportPrecedence.ts"
import type { AccountId, Lane } from "../domain/Scope.ts"
import { portError, TimedOut } from "../resilience/FailureReason.ts"
import type { PlannedSettlement } from "./Settlement.ts"

/** The ledger could not be read or written; `reason` says why. `Rejected`: it refuses these very values. */
export class LedgerUnavailable extends portError<LedgerUnavailable>()("LedgerUnavailable", {}) {
  /** The failure of a call without an answer within `limitMs` milliseconds. */
  static timedOut(limitMs: number): LedgerUnavailable {
    return new LedgerUnavailable({ reason: new TimedOut({ limitMs }) })
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

/** A feedback's claim to be counted once. */
export interface Claim {
  readonly accountId: AccountId
  readonly idempotencyKey: string
  /** SHA-256 of the canonical validated body, hex. */
  readonly fingerprint: string
  /** What it says, and of which decision: kept under the key. Reports of one decision are settled in turn. */
  readonly about?: { readonly recommendationId: RecommendationId; readonly report: FeedbackReport }
}

export interface SettledFeedback {
  readonly response: FeedbackResponse
  /**
   * `first`: the effects were applied now. `same` and `other`: an earlier call's answer, for this or another
   * body.
   */
  readonly claim: "first" | "same" | "other"
}

/**
 * Every recommendation and what came of it, per account. Promises that the contract suite checks: `record` is
 * durable when it returns, and takes a repeated decision as the one it has; an id of another account
 * resolves to null; of any number of concurrent `settle` calls under one claim exactly one
 * commits its work, which may run more than once, and all answer the same response; work that fails leaves
 * no trace.
 */
export class Ledger extends Context.Service<Ledger, {
  readonly record: (
    decisions: readonly [Decision, ...Array<Decision>]
  ) => Effect.Effect<void, LedgerUnavailable>
  /**
   * {@link record} of one account's decisions, all or none, if what they reserve fits into what is left of
   * its budget for all processes. Decisions in shadow, and those that reserve nothing, always fit.
   */
  readonly recordWithin: (
    decisions: readonly [Decision, ...Array<Decision>],
    check: BudgetCheck
  ) => Effect.Effect<void, BudgetExhausted | LedgerUnavailable>
  readonly find: (
    accountId: AccountId,
    recommendationId: RecommendationId
  ) => Effect.Effect<Decision | null, LedgerUnavailable>
  /**
   * Runs `work` in one transaction with the claim; memory writes of a driver on the same store join it. Where
   * `planned` says the same as values, a driver may carry that out in place of the work.
   */
  readonly settle: <E, R>(
    claim: Claim,
    work: Effect.Effect<FeedbackResponse, E, R>,
    planned?: PlannedSettlement | null
  ) => Effect.Effect<SettledFeedback, E | LedgerUnavailable, R>
  /**
   * Takes one more report of a decision, by the rule of `domain/ReportPrecedence.ts`. Says what it did to the
   * outcome of its model; null when there is no such decision. The decision stays locked until the settlement
   * ends, so that two reports at once take turns on all copies.
   */
  readonly reconcile: (
    accountId: AccountId,
    recommendationId: RecommendationId,
    report: FeedbackReport,
    rule: ReportRule
  ) => Effect.Effect<ReportEffect | null, LedgerUnavailable>
  /**
   * What the reports of a decision come to now, unlocked, and a revision above that of every report until
   * now; null when there is no such decision.
   */
  readonly reportedOutcomes: (
    accountId: AccountId,
    recommendationId: RecommendationId
  ) => Effect.Effect<
    { readonly outcomes: ReadonlyArray<ReportedOutcome>; readonly revision: number } | null,
    LedgerUnavailable
  >
  /**
   * The answer of an earlier settlement under the claim, with the fingerprint compared; null when nothing is
   * settled under it yet.
   */
  readonly answered: (claim: Claim) => Effect.Effect<SettledFeedback | null, LedgerUnavailable>
  /** Decisions created at or after `since`, oldest first; all lanes when `lane` is null. */
  readonly window: (query: {
    readonly accountId: AccountId
    readonly lane: Lane | null
    readonly since: Date
  }) => Effect.Effect<ReadonlyArray<LedgerRow>, LedgerUnavailable>
}>()("sextant/ledger/Ledger") {}
