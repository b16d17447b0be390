/* Turns the step outcomes of a feedback into rewards, which memory stores. */
import { readSteps, stepOutcomesMax } from "../../domain/feedback/Feedback.ts"
import type { MemoryWrite } from "../../domain/MemoryWrite.ts"
import type { EngineSettings } from "../Settings.ts"
import type { CombinedFeedback } from "./FeedbackContext.ts"

/**
 * Returns the outcomes and rewards of at most `stepOutcomesMax` steps of an agent's run. Returns null if the
 * feedback has no steps, or if the decision already has outcomes of `modelsPerDecisionMax` other models.
 */
export const stepsWrite = (
  { accountId, decision, now, outcome, request }: CombinedFeedback,
  { signalByOutcome }: Pick<EngineSettings, "signalByOutcome">
): MemoryWrite | null => {
  if (request.stepOutcomes.length === 0 || outcome === null) return null
  const body = {
    accountId,
    lane: decision.lane,
    recommendationId: decision.recommendationId,
    cluster: decision.cluster,
    modelId: request.chosenModelId,
    steps: readSteps(request).slice(0, stepOutcomesMax).map((step) => ({
      ...step,
      signal: step.signal ?? signalByOutcome[step.outcome]
    })),
    occurredAt: now
  }
  return { kind: "recordSteps", body }
}
