/** Port: where writes wait for a remote memory. */
import { Context, type Effect } from "effect"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { portError } from "../../resilience/FailureReason.ts"
import type { Delivered, WaitingWrite } from "./OutboxRows.ts"

/** The outbox could not be read or written; `reason` says why. */
export class OutboxUnavailable extends portError<OutboxUnavailable>()("OutboxUnavailable", {}) {}

/**
 * Where writes that settlements put there wait for a remote memory, per account and in order per lane.
 * Driver: `OutboxStoreSql`; the simulation has one in the process. All of it fails only when the store is
 * out.
 */
export class OutboxStore extends Context.Service<OutboxStore, {
  /** Whether writes of the lane wait already; a new one must then wait behind them. */
  readonly isWaiting: (accountId: AccountId, lane: Lane) => Effect.Effect<boolean, OutboxUnavailable>
  /**
   * Claims the oldest writes of one lane that is due, for as long as the lease; no other process can claim
   * the lane meanwhile. Empty when no lane is due.
   */
  readonly claim: (
    accountId: AccountId,
    options: { readonly leaseMs: number; readonly rowsMax: number }
  ) => Effect.Effect<ReadonlyArray<WaitingWrite>, OutboxUnavailable>
  /** Records the result of a claim, which ends it. */
  readonly settle: (accountId: AccountId, delivered: Delivered) => Effect.Effect<void, OutboxUnavailable>
  /** How many writes of the account wait, without those that the backend refused. */
  readonly countWaiting: (accountId: AccountId) => Effect.Effect<number, OutboxUnavailable>
}>()("sextant/memory/outbox/OutboxStore") {}
