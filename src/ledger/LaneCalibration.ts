/* The port for the numbers by which a lane corrects its own predictions. */
import { Context, type Effect } from "effect"
import type { AccountId, Lane } from "../domain/Scope.ts"
import type { LaneNumbers } from "../stats/LaneNumbers.ts"
import type { LedgerUnavailable } from "./Ledger.ts"

/**
 * The numbers that each lane has learned about its own predictions. The service stores them, even if its
 * memory is remote, and reports move them. The contract suite checks: concurrent reports of a lane are all
 * counted. A process reads its own commits at once and other processes' within a second; if the store is out
 * or slow, it keeps the last numbers. Lanes and accounts never mix.
 */
export class LaneCalibrations extends Context.Service<LaneCalibrations, {
  /** The lane's numbers; null if it has learned nothing. */
  readonly read: (accountId: AccountId, lane: Lane) => Effect.Effect<LaneNumbers | null, LedgerUnavailable>
  /** Puts the numbers that a report has stored into this process's cache. */
  readonly remember: (accountId: AccountId, lane: Lane, numbers: LaneNumbers) => Effect.Effect<void>
}>()("sextant/ledger/LaneCalibration") {}
