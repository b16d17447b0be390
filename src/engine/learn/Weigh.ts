import { Effect } from "effect"
import { LaneCalibrations } from "../../ledger/LaneCalibration.ts"
import type { LedgerUnavailable } from "../../ledger/Ledger.ts"
import * as LaneNumbers from "../../stats/LaneNumbers.ts"
import { isRelabelled, type Label, weightOf } from "../../domain/ReportPrecedence.ts"
import { Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"
import type { Lesson } from "./Record.ts"

/**
 * Lets the lane weigh its predictors by what became of what they had said. A model that was not scored, a
 * label that does not teach, or a decision made without recall or in a lane next to empty says nothing about
 * them. A label that takes another's place takes back what that one had said.
 */
export const updateLaneCalibration = Effect.fnUntraced(function*(
  lesson: Lesson
): Effect.fn.Return<void, LedgerUnavailable, LaneCalibrations | Settings> {
  const settings = yield* Settings
  const { laneRule, laneStart } = settings
  const { before, decision, outcome, request } = lesson
  const { accountId, highSimilarity, lane, meanSimilarity } = decision
  const forecast = decision.forecasts.find(({ modelId }) => modelId === request.chosenModelId)
  if (outcome === null || !outcome.label.teaches || !isRelabelled(outcome)) return
  if (forecast === undefined || meanSimilarity === null || highSimilarity === null) return
  const trialOf = (label: Label): LaneNumbers.Trial => ({
    ...forecast,
    success: label.quality,
    weight: weightOf(label, settings.provenanceWeight),
    meanSimilarity,
    highSimilarity
  })
  const trial = trialOf(outcome.label)
  const replaced = before?.label.teaches === true ? trialOf(before.label) : null
  const lanes = yield* LaneCalibrations
  yield* lanes.change(accountId, lane, (now) =>
    now === null || replaced === null
      ? LaneNumbers.observe(now ?? laneStart, trial, laneRule)
      : LaneNumbers.replace(now, replaced, trial, laneRule))
}, stage("weigh"))
