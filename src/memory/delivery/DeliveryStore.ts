/* Port: the reports whose writes a remote memory has not taken, and the lanes that are behind. */
import { Context, type Effect } from "effect"
import type { FeedbackResponse } from "../../domain/feedback/Feedback.ts"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { portError } from "../../resilience/FailureReason.ts"
import type { Failures, SentReport, WaitingReport } from "./Delivery.ts"

/** The log could not be read or written; `reason` says why. */
export class DeliveryUnavailable extends portError<DeliveryUnavailable>()("DeliveryUnavailable", {}) {}

/** A lane that was leased, with its oldest waiting reports in the order of the log. */
export interface LeasedLane extends Failures {
  readonly lane: Lane
  readonly reports: ReadonlyArray<WaitingReport>
}

/** When a lane that is behind is sent to again, and how often its first write has failed. */
export interface NextTry extends Failures {
  readonly delayMs: number
}

type Stored<A> = Effect.Effect<A, DeliveryUnavailable>

/**
 * The writes of the log that a remote memory has not taken. A report is delivered once it has no writes left.
 * A lane with a report that could not be sent at once is *behind*, and its reports are then sent in order.
 * Driver: `DeliveryStoreSql`; the simulation has one in the process. Calls fail only when the log is out.
 */
export class DeliveryStore extends Context.Service<DeliveryStore, {
  /** Whether the lane is behind: a new report must then wait behind the others. */
  readonly isBehind: (accountId: AccountId, lane: Lane) => Stored<boolean>
  /** Leases a lane that is due, so that no other process can for that long; null when none is. */
  readonly lease: (accountId: AccountId, leaseMs: number, reportsMax: number) => Stored<LeasedLane | null>
  /**
   * Records sent reports of a lane, and the answer of one that was sent at once. With `next` the lane is
   * behind, unless all is delivered. A lease of the lane ends.
   */
  readonly record: (
    accountId: AccountId,
    lane: Lane,
    sent: ReadonlyArray<SentReport>,
    next: NextTry | null,
    response?: FeedbackResponse
  ) => Stored<void>
  /** Puts lanes behind with a report of this age, which its process no longer sends; yields how many. */
  readonly recover: (accountId: AccountId, ageMs: number) => Stored<number>
  /** How many reports of the account wait. */
  readonly countWaiting: (accountId: AccountId) => Stored<number>
}>()("sextant/memory/delivery/DeliveryStore") {}
