import { Effect } from "effect"
import { Lanes } from "../../ledger/Lanes.ts"
import type { LedgerUnavailable } from "../../ledger/Ledger.ts"
import * as LaneNumbers from "../../stats/LaneNumbers.ts"
import { Settings } from "../Settings.ts"
import { stage } from "../Span.ts"
import type { Lesson } from "./Record.ts"

/**
 * Lets the lane weigh its predictors by what became of what they had said. A model that was not scored, a
 * label that does not teach, or a decision made without recall or in a lane next to empty says nothing about
 * them.
 */
export const weigh = Effect.fnUntraced(function*(
  { decision, request, verdict }: Lesson
): Effect.fn.Return<void, LedgerUnavailable, Lanes | Settings> {
  const { laneRule, laneStart } = yield* Settings
  const { accountId, highSimilarity, lane, meanSimilarity } = decision
  const forecast = decision.forecasts.find(({ modelId }) => modelId === request.chosenModelId)
  if (!verdict.teaches || forecast === undefined || meanSimilarity === null || highSimilarity === null) return
  const trial = {
    ...forecast,
    success: verdict.quality,
    weight: verdict.provenanceWeight,
    meanSimilarity,
    highSimilarity
  }
  const lanes = yield* Lanes
  yield* lanes.change(accountId, lane, (now) => LaneNumbers.observe(now ?? laneStart, trial, laneRule))
}, stage("weigh"))
