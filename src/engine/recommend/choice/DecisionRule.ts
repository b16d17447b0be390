/** The decision rule: the lowest objective among the models that reach the threshold, with tie-breaks. */
import type { ThresholdRule } from "../../../domain/SliderThreshold.ts"
import { type FlipRule, optimisticValueBars, tauScale, valueScale } from "../../../stats/NearestFlip.ts"
import type { CostedCandidate } from "../candidates/Candidate.ts"
import { type Objective, valueObjective } from "./Objective.ts"
import { optimistic } from "./Optimism.ts"

type Ruled = Pick<CostedCandidate, "card" | "confidence" | "cost" | "latencyMs" | "predictedSuccess">

/** Ids are unique, so an order that compares ids last does not depend on the input's order. */
const byId = (a: Ruled, b: Ruled): number =>
  a.card.modelId < b.card.modelId ? -1 : a.card.modelId > b.card.modelId ? 1 : 0

/** Compares by higher success, then by higher confidence, then by lower cost. */
export const moreReliable = (a: Ruled, b: Ruled): number =>
  b.predictedSuccess - a.predictedSuccess || b.confidence - a.confidence || a.cost.costUsd - b.cost.costUsd
  || byId(a, b)

/** Compares by higher success, then by lower cost, then by higher confidence. */
const byValue = (a: Ruled, b: Ruled): number =>
  b.predictedSuccess - a.predictedSuccess || a.cost.costUsd - b.cost.costUsd || b.confidence - a.confidence
  || byId(a, b)

const lowestAt = <A extends Ruled>(
  { of, tie }: Objective,
  candidates: ReadonlyArray<A>,
  bar: number
): A | undefined => {
  let floor = Infinity
  for (const each of candidates) {
    if (each.predictedSuccess >= bar && of(each) < floor) floor = of(each)
  }
  let best: A | undefined
  for (const each of candidates) {
    if (each.predictedSuccess < bar || of(each) > floor + tie) continue
    if (best === undefined || byValue(each, best) < 0) best = each
  }
  return best
}

/** Objectives within the tie are decided by success, then by cost; undefined if there are no candidates. */
export const lowest = <A extends Ruled>(
  objective: Objective,
  candidates: ReadonlyArray<A>
): A | undefined => lowestAt(objective, candidates, 0)

export const eligibleAt = <A extends Ruled>(
  candidates: ReadonlyArray<A>,
  threshold: number
): ReadonlyArray<A> => candidates.filter((each) => each.predictedSuccess >= threshold)

/**
 * Returns the candidate with the lowest objective among those that reach the threshold. If no candidate
 * reaches the threshold, returns the candidate most likely to succeed.
 */
export const pickAt = <A extends Ruled>(
  objective: Objective,
  candidates: ReadonlyArray<A>,
  threshold: number
): A | undefined => {
  let highest = 0
  for (const { predictedSuccess } of candidates) if (predictedSuccess > highest) highest = predictedSuccess
  return lowestAt(objective, candidates, Math.min(threshold, highest))
}

/** Returns the rule as a function of the value of success or, without such a value, of the threshold. */
export const ruleOf = (
  settings: ThresholdRule,
  objective: Objective,
  candidates: ReadonlyArray<CostedCandidate>,
  threshold: number
): FlipRule => {
  // `optimistic` copies candidates for many thresholds or values, so only the needed fields are kept.
  const ruled = candidates.map(
    ({ card, confidence, cost, highPriorSuccess, latencyMs, optimisticSuccess, predictedSuccess }) =>
      ({ card, confidence, cost, highPriorSuccess, latencyMs, optimisticSuccess, predictedSuccess })
  )
  const modelIdBy = (by: Objective, at: number) => pickAt(by, optimistic(by, ruled, at), at)?.card.modelId
  const successes = candidates.flatMap((each) =>
    [each.predictedSuccess, each.optimisticSuccess, each.highPriorSuccess])
  if (objective.valueUsd === null) {
    // No candidate reaches a threshold above the highest prediction, so the pick stays the same there.
    const highest = Math.max(...successes)
    return {
      scale: tauScale(settings),
      bars: successes.filter((success) => success < highest),
      modelIdAt: (tau) => modelIdBy(objective, tau)
    }
  }
  const options = [...ruled, ...ruled
    .map((each) => ({ ...each, predictedSuccess: Math.max(each.optimisticSuccess, each.highPriorSuccess) }))
    .filter((each, i) => each.predictedSuccess > ruled[i]!.predictedSuccess)]
  return {
    scale: valueScale,
    bars: optimisticValueBars(
      options.map((each) => ({ success: each.predictedSuccess, usd: objective.price(each) })), objective.tie
    ),
    modelIdAt: (valueUsd) => modelIdBy(valueObjective(valueUsd), threshold)
  }
}
