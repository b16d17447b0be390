import { Effect } from "effect"
import { within } from "../../domain/Budget.ts"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import { Lanes } from "../../ledger/Lanes.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import { Settings } from "../Settings.ts"
import { span } from "../Span.ts"

/** What the lane has learned about its predictions, or where it starts, within the recall budget. */
export const laneNumbers = Effect.fnUntraced(function*(
  accountId: AccountId,
  lane: Lane
): Effect.fn.Return<LaneNumbers, LedgerUnavailable, Lanes | Settings> {
  const { laneStart, recallBudgetMs } = yield* Settings
  const lanes = yield* Lanes
  const known = yield* lanes.read(accountId, lane).pipe(
    within(recallBudgetMs, () => new LedgerUnavailable({ cause: `no answer within ${recallBudgetMs} ms` }))
  )
  return known ?? laneStart
}, span("laneNumbers"))
