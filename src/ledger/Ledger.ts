import { Context, type Effect, Schema } from "effect"
import type { Decision, LedgerRow, Reconciliation } from "../domain/Decision.ts"
import type { FeedbackResponse } from "../domain/Feedback.ts"
import type { AccountId, Lane } from "../domain/Scope.ts"

/** The ledger could not be read or written. */
export class LedgerUnavailable extends Schema.TaggedError<LedgerUnavailable>()("LedgerUnavailable", {
  cause: Schema.Defect(),
  /** True when these very values are refused, so that trying again is of no use. */
  isRefusal: Schema.optionalKey(Schema.Boolean)
}) {}

/** A feedback's claim to be counted once. */
export interface Claim {
  readonly accountId: AccountId
  readonly idempotencyKey: string
  /** SHA-256 of the canonical validated body, hex. */
  readonly fingerprint: string
}

export interface Settled {
  readonly response: FeedbackResponse
  /**
   * `first`: the effects were applied now. `same` and `other`: an earlier call's answer, for this or another
   * body.
   */
  readonly claim: "first" | "same" | "other"
}

/**
 * Every recommendation and what came of it, per account. Promises that the contract suite checks: `record` is
 * durable when it returns, and takes a decision told again as the one it has; an id of another account
 * resolves to null; of any number of concurrent `settle` calls under one claim exactly one runs its work, all
 * answer the same response; work that fails leaves no trace.
 */
export class Ledger extends Context.Service<Ledger, {
  readonly record: (
    decisions: readonly [Decision, ...Array<Decision>]
  ) => Effect.Effect<void, LedgerUnavailable>
  readonly find: (
    accountId: AccountId,
    recommendationId: string
  ) => Effect.Effect<Decision | null, LedgerUnavailable>
  /** Runs `work` in one transaction with the claim; memory writes of a driver on the same store join it. */
  readonly settle: <E, R>(
    claim: Claim,
    work: Effect.Effect<FeedbackResponse, E, R>
  ) => Effect.Effect<Settled, E | LedgerUnavailable, R>
  /**
   * Writes the feedback onto its decision. A label that teaches is replaced only by another that does; what
   * was measured of the same model is completed, never erased.
   */
  readonly reconcile: (
    accountId: AccountId,
    recommendationId: string,
    reconciliation: Reconciliation
  ) => Effect.Effect<void, LedgerUnavailable>
  /** Decisions created at or after `since`, oldest first; all lanes when `lane` is null. */
  readonly window: (query: {
    readonly accountId: AccountId
    readonly lane: Lane | null
    readonly since: Date
  }) => Effect.Effect<ReadonlyArray<LedgerRow>, LedgerUnavailable>
}>()("sextant/ledger/Ledger") {}
