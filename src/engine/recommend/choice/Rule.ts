/** The decision rule: the cheapest model that clears the threshold, and its tie-breaks. */
import type { Priced } from "../candidates/Candidate.ts"
import { optimistic } from "./Optimism.ts"

/** What the rule reads of a candidate. */
type Ruled = Pick<Priced, "card" | "confidence" | "cost" | "predictedSuccess">

/**
 * Order by id. Ids are unique, so an order that ends with this one is total and does not depend on the
 * input's.
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

/** The cheapest that reaches the bar; costs within the tie go by success, then confidence. */
const cheapestAt = <A extends Ruled>(
  tieUsd: number,
  candidates: ReadonlyArray<A>,
  bar: number
): A | undefined => {
  let floorUsd = Infinity
  for (const { cost, predictedSuccess } of candidates) {
    if (predictedSuccess >= bar && cost.costUsd < floorUsd) floorUsd = cost.costUsd
  }
  let best: A | undefined
  for (const each of candidates) {
    if (each.predictedSuccess < bar || each.cost.costUsd > floorUsd + tieUsd) continue
    if (best === undefined || byValue(each, best) < 0) best = each
  }
  return best
}

/** The cheapest; costs within the tie go by success, then confidence. Undefined for none. */
export const cheapest = <A extends Ruled>(tieUsd: number, candidates: ReadonlyArray<A>): A | undefined =>
  cheapestAt(tieUsd, candidates, 0)

/** The candidates that clear the threshold. */
export const eligibleAt = <A extends Ruled>(
  candidates: ReadonlyArray<A>,
  threshold: number
): ReadonlyArray<A> => candidates.filter((each) => each.predictedSuccess >= threshold)

/**
 * The decision rule: the cheapest that clears the threshold; where none does, the likeliest, and of those
 * equally likely the cheapest, so that none is beaten on both. Undefined only without candidates.
 */
export const pickAt = <A extends Ruled>(
  tieUsd: number,
  candidates: ReadonlyArray<A>,
  threshold: number
): A | undefined => {
  let highest = 0
  for (const { predictedSuccess } of candidates) if (predictedSuccess > highest) highest = predictedSuccess
  return cheapestAt(tieUsd, candidates, Math.min(threshold, highest))
}

/** The decision rule over one set of candidates, which can be applied at other thresholds. */
export interface DecisionRule {
  /** Thresholds at which its pick may change, in any order: between two of them the pick is the same. */
  readonly bars: ReadonlyArray<number>
  /** The model that it picks at this threshold. */
  readonly modelIdAt: (threshold: number) => string | undefined
}

/** The decision rule over these candidates. */
export const ruleOf = (tieUsd: number, candidates: ReadonlyArray<Priced>): DecisionRule => {
  // Optimism copies what it changes, and the rule is applied at many thresholds.
  const ruled = candidates.map(({ card, confidence, cost, optimisticSuccess, predictedSuccess }) =>
    ({ card, confidence, cost, optimisticSuccess, predictedSuccess }))
  return {
    bars: candidates.flatMap((each) => [each.predictedSuccess, each.optimisticSuccess]),
    modelIdAt: (threshold) => pickAt(tieUsd, optimistic(ruled, threshold), threshold)?.card.modelId
  }
}
