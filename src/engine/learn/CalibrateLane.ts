/* How a feedback changes what its lane has learned about its own predictions. */
import type { Provenance } from "../../domain/Feedback.ts"
import { isRelabelled, type Label, weightOf } from "../../domain/ReportPrecedence.ts"
import * as LaneNumbers from "../../stats/LaneNumbers.ts"
import { taskWeight } from "./attribution/TaskWeight.ts"
import type { ReconciledFeedback } from "./FeedbackContext.ts"

interface CalibrationRule {
  readonly laneRule: LaneNumbers.LaneRule
  /** The numbers of a lane that has learned nothing. */
  readonly laneStart: LaneNumbers.LaneNumbers
  /** What a label weighs by its provenance, in [0, 1]. */
  readonly provenanceWeight: { readonly [P in Provenance]: number }
}

/** What the feedback says of the lane's predictors. */
interface LaneTrial {
  readonly trial: LaneNumbers.Trial
  /** The trial of the label that this one replaces; null without one. */
  readonly replaced: LaneNumbers.Trial | null
}

/**
 * The outcome of what the lane's predictors had forecast. Null when the feedback says nothing about them: its
 * model was not scored, its label does not teach or does not stand, or its decision was made without recall
 * or in a lane that was nearly empty.
 */
export const laneTrialOf = (
  { before, decision, outcome, request }: ReconciledFeedback,
  { provenanceWeight }: Pick<CalibrationRule, "provenanceWeight">
): LaneTrial | null => {
  const { highSimilarity, meanSimilarity } = decision
  const forecast = decision.forecasts.find(({ modelId }) => modelId === request.chosenModelId)
  if (outcome === null || !outcome.label.teaches || !isRelabelled(outcome)) return null
  if (forecast === undefined || meanSimilarity === null || highSimilarity === null) return null
  const trialOf = (label: Label): LaneNumbers.Trial => ({
    ...forecast,
    success: label.quality,
    weight: weightOf(label, provenanceWeight)
      * taskWeight(decision, request.chosenModelId, label.quality),
    meanSimilarity,
    highSimilarity
  })
  return {
    trial: trialOf(outcome.label),
    replaced: before?.label.teaches === true ? trialOf(before.label) : null
  }
}

/**
 * The change of the lane's numbers by {@link laneTrialOf}. A label that replaces another takes back what that
 * one had changed. Null without a trial.
 */
export const laneCalibrationChange = (
  feedback: ReconciledFeedback,
  { laneRule, laneStart, provenanceWeight }: CalibrationRule
): ((now: LaneNumbers.LaneNumbers | null) => LaneNumbers.LaneNumbers) | null => {
  const found = laneTrialOf(feedback, { provenanceWeight })
  if (found === null) return null
  const { replaced, trial } = found
  return (now) =>
    now === null || replaced === null
      ? LaneNumbers.observe(now ?? laneStart, trial, laneRule)
      : LaneNumbers.replace(now, replaced, trial, laneRule)
}
