/* Port: finds and updates the reports that a remote memory has not accepted yet. */
import { Context, type Effect } from "effect"
import type { FeedbackResponse } from "../../domain/feedback/Feedback.ts"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { portError } from "../../resilience/FailureReason.ts"
import type { Failures, SentReport, WaitingReport } from "./Delivery.ts"

export class DeliveryUnavailable extends portError<DeliveryUnavailable>()("DeliveryUnavailable", {}) {}

export interface LeasedLane extends Failures {
  readonly lane: Lane
  readonly reports: ReadonlyArray<WaitingReport>
}

/** When a lane that is behind is tried next, and how often its first waiting write has failed. */
export interface NextTry extends Failures {
  readonly delayMs: number
}

type Stored<A> = Effect.Effect<A, DeliveryUnavailable>

/**
 * Keeps track of the writes that a remote memory has not accepted yet. A lane is *behind* while one of its
 * reports waits to be sent later. The reports of a lane that is behind are sent in order. Calls fail only if
 * the log is unavailable.
 */
export class DeliveryStore extends Context.Service<DeliveryStore, {
  /** If the lane is behind, a new report waits until earlier reports are sent. */
  readonly isBehind: (accountId: AccountId, lane: Lane) => Stored<boolean>
  /** Leases a due lane for `leaseMs`, or returns null if no lane is free and due. */
  readonly lease: (accountId: AccountId, leaseMs: number, reportsMax: number) => Stored<LeasedLane | null>
  /**
   * Stores what was sent. `response` replaces the stored answer of a report that was sent at once. Storing
   * `next` plans the lane's next try, and ends the lane's lease.
   */
  readonly record: (
    accountId: AccountId,
    lane: Lane,
    sent: ReadonlyArray<SentReport>,
    next: NextTry | null,
    response?: FeedbackResponse
  ) => Stored<void>
  /**
   * Marks lanes with a waiting report older than `ageMs` as behind. Returns the number of newly marked lanes.
   */
  readonly recover: (accountId: AccountId, ageMs: number) => Stored<number>
  readonly countWaiting: (accountId: AccountId) => Stored<number>
}>()("sextant/memory/delivery/DeliveryStore") {}
