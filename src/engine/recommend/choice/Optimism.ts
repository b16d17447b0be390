/** Optimism gives a model with little evidence near the task a higher prediction. */
import type { CostedCandidate } from "../candidates/Candidate.ts"
import type { Objective } from "./Objective.ts"

/**
 * Replaces predictions by optimistic ones, so that models with little evidence near this task are tried. Only
 * a candidate with a lower objective than every model that is known to reach the threshold gets one.
 * Intervals and the decision rule never change.
 *
 * The prediction from the higher prior counts too if no candidate is known to reach the threshold, or with a
 * value of success. Without this prediction the best known model would be picked for ever.
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
    // Without optimism, the best known candidate is the pick.
    if (each.predictedSuccess >= threshold && of(each) <= known) return each
    return of(each, success) >= known ? each : { ...each, predictedSuccess: success }
  })
}
