/** Optimism: a second, higher prediction for a model with little evidence near the task. */
import type { CostedCandidate } from "../candidates/Candidate.ts"
import type { Objective } from "./Objective.ts"

/**
 * Replaces a candidate's plain prediction by its optimistic one, so that a model without much evidence near
 * this task is tried. It does so only if no equally cheap (or fast, or valuable) model is known to clear the
 * threshold. Predictions that could change no pick stay plain, and so do the intervals and the decision rule.
 * If no candidate at all is known to clear it, and under a value, it also counts the higher prior. Otherwise
 * the best known model would be the pick for ever.
 *
 * @param threshold the least success, in [0, 1]
 */
export const optimistic = <
  A extends Pick<
    CostedCandidate, "cost" | "highPriorSuccess" | "latencyMs" | "optimisticSuccess" | "predictedSuccess"
  >
>(
  { of, valueUsd }: Objective,
  candidates: ReadonlyArray<A>,
  threshold: number
): ReadonlyArray<A> => {
  const known = candidates.reduce(
    (least, each) => each.predictedSuccess >= threshold ? Math.min(least, of(each)) : least, Infinity
  )
  return candidates.map((each) => {
    const { highPriorSuccess, optimisticSuccess } = each
    const success = known === Infinity || valueUsd !== null
      ? Math.max(highPriorSuccess, optimisticSuccess)
      : optimisticSuccess
    if (success <= each.predictedSuccess) return each
    // The best that is known is the pick without optimism.
    if (each.predictedSuccess >= threshold && of(each) <= known) return each
    return of(each, success) >= known ? each : { ...each, predictedSuccess: success }
  })
}
