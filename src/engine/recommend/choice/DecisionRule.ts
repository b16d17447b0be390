/**
 * The decision rule: the model with the lowest objective among those that clear the threshold, and its
 * tie-breaks.
 */
import type { ThresholdRule } from "../../../domain/SliderThreshold.ts"
import { type FlipRule, optimisticValueBars, tauScale, valueScale } from "../../../stats/NearestFlip.ts"
import type { CostedCandidate } from "../candidates/Candidate.ts"
import { type Objective, valueObjective } from "./Objective.ts"
import { optimistic } from "./Optimism.ts"

/** The fields of a candidate that the rule reads. */
type Ruled = Pick<CostedCandidate, "card" | "confidence" | "cost" | "latencyMs" | "predictedSuccess">

/**
 * Order by id. Ids are unique, so an order that ends with this one is total and independent of the input's
 * order.
 */
const byId = (a: Ruled, b: Ruled): number =>
  a.card.modelId < b.card.modelId ? -1 : a.card.modelId > b.card.modelId ? 1 : 0

/** Likelier first; of those equally likely the surer, then the cheaper. */
export const moreReliable = (a: Ruled, b: Ruled): number =>
  b.predictedSuccess - a.predictedSuccess || b.confidence - a.confidence || a.cost.costUsd - b.cost.costUsd
  || byId(a, b)

/**
 * Likelier first, then cheaper, then surer. Cost comes before confidence even inside a tie: otherwise a model
 * could win over another that is as likely and a fraction cheaper.
 */
const byValue = (a: Ruled, b: Ruled): number =>
  b.predictedSuccess - a.predictedSuccess || a.cost.costUsd - b.cost.costUsd || b.confidence - a.confidence
  || byId(a, b)

/** The lowest by the objective that reaches the bar; values within the tie go by success, then cost. */
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

/** The lowest by the objective; values within the tie go by success, then cost. Undefined for none. */
export const lowest = <A extends Ruled>(
  objective: Objective,
  candidates: ReadonlyArray<A>
): A | undefined => lowestAt(objective, candidates, 0)

/** The candidates that clear the threshold. */
export const eligibleAt = <A extends Ruled>(
  candidates: ReadonlyArray<A>,
  threshold: number
): ReadonlyArray<A> => candidates.filter((each) => each.predictedSuccess >= threshold)

/**
 * The decision rule: the candidate with the lowest objective that clears the threshold. If none clears it,
 * the likeliest, then the lowest. Undefined only without candidates.
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

/**
 * The decision rule over these candidates at other settings: at other values if the objective has one, else
 * at other thresholds.
 */
export const ruleOf = (
  settings: ThresholdRule,
  objective: Objective,
  candidates: ReadonlyArray<CostedCandidate>,
  threshold: number
): FlipRule => {
  // Optimism copies what it changes, and the rule is applied at many settings.
  const ruled = candidates.map(
    ({ card, confidence, cost, highPriorSuccess, latencyMs, optimisticSuccess, predictedSuccess }) =>
      ({ card, confidence, cost, highPriorSuccess, latencyMs, optimisticSuccess, predictedSuccess })
  )
  const modelIdBy = (by: Objective, at: number) => pickAt(by, optimistic(by, ruled, at), at)?.card.modelId
  const successes = candidates.flatMap((each) =>
    [each.predictedSuccess, each.optimisticSuccess, each.highPriorSuccess])
  if (objective.valueUsd === null) {
    // Above the highest prediction nothing clears, and the likeliest stays the pick.
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
