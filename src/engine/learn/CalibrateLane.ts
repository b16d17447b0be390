/* Computes how a feedback changes the calibration numbers of its lane. */
import { isRelabelled, type Label } from "../../domain/feedback/FeedbackPrecedence.ts"
import { evidenceOf, noSpreadEvidence } from "../../stats/DifficultySpread.ts"
import type { JudgedPrediction } from "../../stats/LaneNumbers.ts"
import { taskWeight } from "./attribution/TaskWeight.ts"
import type { CombinedFeedback } from "./FeedbackContext.ts"

interface LaneTrial {
  readonly trial: JudgedPrediction
  /** The prediction as the replaced label judged it, to be unlearned; null if no replaced label taught. */
  readonly replaced: JudgedPrediction | null
}

/** Returns the prediction that a feedback judges; null if the lane learns nothing from the feedback. */
export const laneTrialOf = (
  { before, decision, outcome, request }: CombinedFeedback
): LaneTrial | null => {
  const forecast = decision.forecasts.find(({ modelId }) => modelId === request.chosenModelId)
  if (outcome === null || !outcome.label.teaches || !isRelabelled(outcome)) return null
  if (forecast === undefined) return null
  const { bySpread = [], ...predictions } = forecast
  const trialOf = (label: Label): JudgedPrediction => {
    const weight = label.provenanceWeight
    return {
      ...predictions,
      success: label.taughtQuality,
      weight: weight * taskWeight(decision, request.chosenModelId, label.taughtQuality),
      spreadEvidence: label.outcome === "partial"
        ? noSpreadEvidence
        : evidenceOf(bySpread, label.outcome === "success", weight)
    }
  }
  return {
    trial: trialOf(outcome.label),
    replaced: before?.label.teaches === true ? trialOf(before.label) : null
  }
}
