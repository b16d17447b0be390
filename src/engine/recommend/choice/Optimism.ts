import type { Priced } from "../candidates/Candidate.ts"

/**
 * Lets a model that is hardly known near this task be tried: it is predicted at what may be hoped of it where
 * no model that is as cheap is known to clear the threshold. The rule of the choice stays what it is, and
 * figures that could change no pick stay plain (guide adaptive.md section 1). Intervals are the caller's.
 *
 * @param threshold tau, in [0, 1]
 */
export const optimistic = (
  candidates: ReadonlyArray<Priced>,
  threshold: number
): ReadonlyArray<Priced> => {
  const knownUsd = candidates.reduce(
    (least, each) => each.predictedSuccess >= threshold ? Math.min(least, each.cost.costUsd) : least, Infinity
  )
  return candidates.map((each) =>
    each.optimisticSuccess <= each.predictedSuccess || each.cost.costUsd >= knownUsd
      ? each
      : { ...each, predictedSuccess: each.optimisticSuccess })
}
