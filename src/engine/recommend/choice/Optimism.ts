/** Optimism gives a model with little evidence near the task a higher prediction. */
import type { CostedCandidate } from "../candidates/Candidate.ts"
import type { Objective } from "./Objective.ts"

/**
 * Replaces predictions by optimistic ones, so that models with little evidence near this task are tried. A
 * candidate gets an optimistic prediction only if its objective is lower than that of every model known to
 * reach the threshold. Optimism does not change the intervals or the decision rule.
 *
 * The prediction from the higher prior also counts if no candidate is known to reach the threshold, or if the
 * request has a value of success. Without this prediction, the best known model would be picked forever.
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
