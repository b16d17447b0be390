/* The port for the numbers by which a lane corrects its own predictions. */
import { Context, type Effect } from "effect"
import type { AccountId, Lane } from "../domain/Scope.ts"
import type { LaneNumbers } from "../stats/LaneNumbers.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/**
 * The numbers that each lane has learned to correct its own predictions. The service's own database stores
 * the calibration numbers of lanes, even if memory is remote. A process usually sees other processes' changes
 * to these numbers within a second. If the store is unavailable or slow, a process uses the numbers that it
 * read last.
 */
export class LaneCalibrations extends Context.Service<LaneCalibrations, {
  /** Reads the lane's numbers; null if the lane has learned nothing. */
  readonly read: (accountId: AccountId, lane: Lane) => Effect.Effect<LaneNumbers | null, LedgerUnavailable>
  readonly remember: (accountId: AccountId, lane: Lane, numbers: LaneNumbers) => Effect.Effect<void>
}>()("sextant/ledger/LaneCalibration") {}
