/** Optimism gives a model with little evidence near the task a higher prediction. */
import type { CostedCandidate } from "../candidates/Candidate.ts"
import type { Objective } from "./Objective.ts"

/**
 * Makes predictions with little evidence near the task optimistic, so that such models are tried. Only a
 * candidate whose objective is lower than that of every model known to reach the threshold is changed.
 *
 * If no candidate is known to reach the threshold, or success has a value, the prediction from the higher
 * prior counts too. Without the higher prior, the best known model would be picked forever.
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
