/** Optimism gives some models a higher prediction, so that they are tried. */
import type { CostedCandidate } from "../candidates/Candidate.ts"
import type { Objective } from "./Objective.ts"

/**
 * A prediction is made optimistic only if this makes the candidate's objective lower than that of every model
 * whose plain prediction reaches the threshold.
 *
 * If a plain prediction reaches the threshold and success has no value, the optimistic prediction is
 * `optimisticSuccess`. If no plain prediction reaches the threshold, or if success has a value, the
 * optimistic prediction is the higher of `optimisticSuccess` and `highPriorSuccess`.
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
    // The best candidate by plain predictions keeps its plain prediction.
    if (each.predictedSuccess >= threshold && of(each) <= known) return each
    return of(each, success) >= known ? each : { ...each, predictedSuccess: success }
  })
}
