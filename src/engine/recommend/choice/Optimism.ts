/** Optimism: a second, higher prediction for a model with little evidence near the task. */
import type { CostedCandidate } from "../candidates/Candidate.ts"
import type { Objective } from "./Objective.ts"

/**
 * Gives a candidate its optimistic prediction, so that a model with little evidence near this task is tried.
 * A candidate gets it only if it is cheaper (or faster, or worth more) than every model that is known to
 * reach the threshold. All other predictions stay plain. Intervals and the decision rule never change.
 *
 * If no candidate is known to reach the threshold, or under a value, the prediction from the higher prior
 * counts too. Without it the best known model would be picked for ever.
 *
 * @param threshold the success that a candidate must reach, in [0, 1]
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
