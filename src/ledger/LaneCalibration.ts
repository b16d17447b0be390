/* The port for the numbers by which a lane corrects its own predictions. */
import { Context, type Effect } from "effect"
import type { AccountId, Lane } from "../domain/Scope.ts"
import type { LaneNumbers } from "../stats/LaneNumbers.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/**
 * The numbers that each lane has learned about its own predictions; the service's own, wherever its memory
 * is. Reports move them. Promises that the contract suite checks: of concurrent reports of a lane
 * none is lost; what this process committed is read by its next `read`, other processes' within a second,
 * unless the store is out or slow: what was read last then stands; lanes and accounts never mix.
 */
export class LaneCalibrations extends Context.Service<LaneCalibrations, {
  /** Null for a lane that has learned nothing. */
  readonly read: (accountId: AccountId, lane: Lane) => Effect.Effect<LaneNumbers | null, LedgerUnavailable>
  /** Lets this process know of numbers that a report has stored. */
  readonly remember: (accountId: AccountId, lane: Lane, numbers: LaneNumbers) => Effect.Effect<void>
}>()("sextant/ledger/LaneCalibration") {}
