/** The decision rule: the cheapest model that clears the threshold, and its tie-breaks. */
import type { Priced } from "../candidates/Candidate.ts"
import { optimistic } from "./Optimism.ts"

/**
 * Order by id. Ids are unique, so an order that ends with this one is total and does not depend on the
 * input's.
 */
const byId = (a: Priced, b: Priced): number =>
  a.card.modelId < b.card.modelId ? -1 : a.card.modelId > b.card.modelId ? 1 : 0

/** Likelier first; of those equally likely the surer, then the cheaper. */
export const moreReliable = (a: Priced, b: Priced): number =>
  b.predictedSuccess - a.predictedSuccess || b.confidence - a.confidence || a.cost.costUsd - b.cost.costUsd
  || byId(a, b)

/**
 * Likelier first, then cheaper, then surer. Cost comes before confidence even inside a tie: otherwise a model
 * could win over another that is as likely and a fraction cheaper.
 */
const byValue = (a: Priced, b: Priced): number =>
  b.predictedSuccess - a.predictedSuccess || a.cost.costUsd - b.cost.costUsd || b.confidence - a.confidence
  || byId(a, b)

const first = <A extends Priced>(candidates: ReadonlyArray<A>, order: (a: A, b: A) => number) =>
  candidates.reduce<A | undefined>(
    (best, each) => best === undefined || order(each, best) < 0 ? each : best, undefined
  )

/** The cheapest; costs within the tie go by success, then confidence. Undefined for none. */
export const cheapest = <A extends Priced>(tieUsd: number, candidates: ReadonlyArray<A>): A | undefined => {
  const floorUsd = candidates.reduce((least, each) => Math.min(least, each.cost.costUsd), Infinity)
  return first(candidates.filter((each) => each.cost.costUsd <= floorUsd + tieUsd), byValue)
}

/** The candidates that clear the threshold. */
export const eligibleAt = <A extends Priced>(
  candidates: ReadonlyArray<A>,
  threshold: number
): ReadonlyArray<A> => candidates.filter((each) => each.predictedSuccess >= threshold)

/**
 * The decision rule: the cheapest that clears the threshold; where none does, the likeliest, and of those
 * equally likely the cheapest, so that none is beaten on both. Undefined only without candidates.
 */
export const pickAt = <A extends Priced>(
  tieUsd: number,
  candidates: ReadonlyArray<A>,
  threshold: number
): A | undefined => {
  const highest = candidates.reduce((most, each) => Math.max(most, each.predictedSuccess), 0)
  return cheapest(tieUsd, eligibleAt(candidates, Math.min(threshold, highest)))
}

/** The decision rule over one set of candidates, which can be applied at other thresholds. */
export interface DecisionRule {
  /** Thresholds at which its pick may change, in any order: between two of them the pick is the same. */
  readonly bars: ReadonlyArray<number>
  /** The model that it picks at this threshold. */
  readonly modelIdAt: (threshold: number) => string | undefined
}

/** The decision rule over these candidates. */
export const ruleOf = (tieUsd: number, candidates: ReadonlyArray<Priced>): DecisionRule => ({
  bars: candidates.flatMap((each) => [each.predictedSuccess, each.optimisticSuccess]),
  modelIdAt: (threshold) => pickAt(tieUsd, optimistic(candidates, threshold), threshold)?.card.modelId
})
