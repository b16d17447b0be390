/* How a feedback changes what its lane has learned about its own predictions. */
import type { Provenance } from "../../domain/Feedback.ts"
import { isRelabelled, type Label, weightOf } from "../../domain/ReportPrecedence.ts"
import * as LaneNumbers from "../../stats/LaneNumbers.ts"
import type { ReconciledFeedback } from "./FeedbackContext.ts"

interface CalibrationRule {
  readonly laneRule: LaneNumbers.LaneRule
  /** The numbers of a lane that has learned nothing. */
  readonly laneStart: LaneNumbers.LaneNumbers
  /** What a label weighs by its provenance, in [0, 1]. */
  readonly provenanceWeight: { readonly [P in Provenance]: number }
}

/**
 * The change of the lane's numbers by the outcome of what its predictors had forecast. A label that replaces
 * another takes back what that one had changed. Null when the feedback says nothing about the predictors: its
 * model was not scored, its label does not teach or does not stand, or its decision was made without recall
 * or in a lane that was nearly empty.
 */
export const laneCalibrationChange = (
  { before, decision, outcome, request }: ReconciledFeedback,
  { laneRule, laneStart, provenanceWeight }: CalibrationRule
): ((now: LaneNumbers.LaneNumbers | null) => LaneNumbers.LaneNumbers) | null => {
  const { highSimilarity, meanSimilarity } = decision
  const forecast = decision.forecasts.find(({ modelId }) => modelId === request.chosenModelId)
  if (outcome === null || !outcome.label.teaches || !isRelabelled(outcome)) return null
  if (forecast === undefined || meanSimilarity === null || highSimilarity === null) return null
  const trialOf = (label: Label): LaneNumbers.Trial => ({
    ...forecast,
    success: label.quality,
    weight: weightOf(label, provenanceWeight),
    meanSimilarity,
    highSimilarity
  })
  const trial = trialOf(outcome.label)
  const replaced = before?.label.teaches === true ? trialOf(before.label) : null
  return (now) =>
    now === null || replaced === null
      ? LaneNumbers.observe(now ?? laneStart, trial, laneRule)
      : LaneNumbers.replace(now, replaced, trial, laneRule)
}
