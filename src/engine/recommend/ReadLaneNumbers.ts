/** Stage: reads the lane's numbers, beside the recall. */
import { Effect } from "effect"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { LaneCalibrations } from "../../ledger/LaneCalibration.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

/** The lane's numbers, or those of a new lane where it has none. Fails past the recall budget. */
export const readLaneNumbers = Effect.fnUntraced(function*(
  accountId: AccountId,
  lane: Lane
): Effect.fn.Return<LaneNumbers, LedgerUnavailable, LaneCalibrations | Settings> {
  const { laneStart, recallBudgetMs } = yield* Settings
  const lanes = yield* LaneCalibrations
  const known = yield* lanes.read(accountId, lane).pipe(LedgerUnavailable.within(recallBudgetMs))
  return known ?? laneStart
}, stage("laneNumbers"))
