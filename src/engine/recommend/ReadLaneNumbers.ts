import { Effect } from "effect"
import { deadlineUninterrupted } from "../../resilience/Deadline.ts"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { LaneCalibrations } from "../../ledger/LaneCalibration.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import { Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"

/**
 * What the lane has learned about its predictions, within the recall budget. Without it the lane is taken as
 * a new one: a coarser answer, whose memory is all there, so no warning of the contract fits.
 */
export const readLaneNumbers = Effect.fnUntraced(function*(
  accountId: AccountId,
  lane: Lane
): Effect.fn.Return<LaneNumbers, never, LaneCalibrations | Settings> {
  const { laneStart, recallBudgetMs } = yield* Settings
  const lanes = yield* LaneCalibrations
  const known = yield* lanes.read(accountId, lane).pipe(
    deadlineUninterrupted(recallBudgetMs, () => LedgerUnavailable.timedOut(recallBudgetMs)),
    Effect.catchTag("LedgerUnavailable", (error) =>
      Effect.as(Effect.logWarning("Predicted without the lane's own numbers", error), null))
  )
  return known ?? laneStart
}, stage("laneNumbers"))
