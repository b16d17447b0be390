/** Optimism: a second, higher prediction for a model with little evidence near the task. */
import type { CostedCandidate } from "../candidates/Candidate.ts"
import type { Objective } from "./Objective.ts"

/**
 * The candidates, with the optimistic prediction in place of the plain one where no model that is as cheap
 * (or as fast, or worth as much, as the objective is) is known to clear the threshold, so that a model that
 * is hardly known near this task is tried. The decision rule stays the same, and predictions that could
 * change no pick stay plain. The intervals stay those of the plain predictions. Where no candidate at all is
 * known to clear it, and under a value, each is also taken to be as good as its prior may err: else the
 * best of the known would be the pick for ever.
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
