/* The port of the ledger: every recommendation and its reports. */
import { Context, type Effect, Schema } from "effect"
import { BudgetPeriod } from "../domain/account/Budget.ts"
import type { Decision } from "../domain/Decision.ts"
import type { RecommendationId } from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import { deadline } from "../resilience/Deadline.ts"
import { portError, TimedOut } from "../resilience/FailureReason.ts"
import type {
  Claim, DecisionOutcomes, OutdatedSettlement, SettledFeedback, Settlement
} from "./Settlement.ts"

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
  readonly known: DecisionOutcomes
  /** With the fingerprint compared; null without a claim, and while nothing is settled under it. */
  readonly answered: SettledFeedback | null
}

/**
 * Every recommendation and what came of it, per account. Promises that the contract suite checks: `record` is
 * durable when it returns, and takes a repeated decision as the one it has; an id of another account
 * resolves to null; of any number of concurrent `settle` calls under one claim exactly one has its effects,
 * and all answer the same response; a settlement that fails leaves no trace, unless its answer was lost.
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
  /**
   * A decision, with what its reports come to and an answer of an earlier settlement under the claim, as of
   * one moment; null where the account has no such decision. Under a claim the moment may be a former one,
   * which the settlement then says, unless it must be `now`.
   */
  readonly find: (
    accountId: AccountId,
    recommendationId: RecommendationId,
    claim?: Claim,
    asOf?: "now"
  ) => Effect.Effect<FoundDecision | null, LedgerUnavailable>
  /**
   * Does all that a feedback does, or nothing: takes its claim and its report, writes its rows, and moves
   * its lane's numbers. Where the decision has other reports than the plan rests on, nothing is done, and it
   * is to be planned again from those that are yielded. Reports of one decision take turns on all copies.
   */
  readonly settle: (
    settlement: Settlement
  ) => Effect.Effect<SettledFeedback | OutdatedSettlement, LedgerUnavailable>
}>()("sextant/ledger/Ledger") {}
