/** Bounds how much one actor's outcomes weigh among several actors', and estimates an actor's success. */
import * as Mixture from "./NeighbourMixture.ts"
import type { Tally } from "./NeighbourMixture.ts"

/** Minimum weight of outcomes, because removed outcomes leave rounding errors. */
const weightMin = 1e-9

/**
 * Reduces the weight w of the actor with the most outcomes to the weight of all others together, but never
 * below w / (1 + w / loneMax).
 *
 * @param heaviest sums of the outcomes of the actor with the most outcomes
 * @param loneMax weight in outcomes, > 0, that the weight of an actor without others cannot exceed
 * @param isLoneBound false if an actor without others keeps its whole weight
 */
export const withoutMajority = (all: Tally, heaviest: Tally, loneMax: number, isLoneBound = true): Tally => {
  const rest = all.weight - heaviest.weight
  if (rest <= weightMin && !isLoneBound) return all
  const kept = Math.max(rest, heaviest.weight / (1 + heaviest.weight / loneMax))
  if (heaviest.weight <= kept) return all
  const weight = rest + kept
  const success = all.success - heaviest.success + heaviest.success * kept / heaviest.weight
  return { weight, success: Math.min(weight, Math.max(0, success)) }
}

/**
 * Lowers the weights of other actors' outcomes, so that these weights sum to at most 1 / (sum of the own
 * outcomes' weights). If there are several other actors, each keeps at most half of their common weight.
 *
 * @param actorOf number of the other actor of outcome i; NaN for an own outcome
 */
export const shieldWeights = (weights: Float64Array, actorOf: (i: number) => number): void => {
  let own = 0
  let sums: Map<number, number> | null = null
  for (let i = 0; i < weights.length; i++) {
    const actor = actorOf(i)
    if (Number.isNaN(actor)) own += weights[i]!
    else (sums ??= new Map<number, number>()).set(actor, (sums.get(actor) ?? 0) + weights[i]!)
  }
  if (sums === null) return
  let [heaviest, most, others] = [NaN, 0, 0]
  for (const [actor, sum] of sums) {
    others += sum
    if (sum > most) [heaviest, most] = [actor, sum]
  }
  const rest = others - most
  const ofHeaviest = rest > weightMin && most > rest ? rest / most : 1
  const shielded = rest + ofHeaviest * most
  const ofOthers = own * shielded > 1 ? 1 / (own * shielded) : 1
  for (let i = 0; i < weights.length; i++) {
    const actor = actorOf(i)
    if (Number.isNaN(actor)) continue
    weights[i] = weights[i]! * ofOthers * (actor === heaviest ? ofHeaviest : 1)
  }
}

/** How strongly other actors' outcomes pull on an actor's estimate; both numbers are in outcomes, > 0. */
export interface ActorRule {
  /** Very many outcomes of other actors together weigh at most as much as this many own outcomes. */
  readonly pull: number
  /** Weight of others' outcomes at which the pull is halfway between the group's usual pull and `pull`. */
  readonly othersHalf: number
}

export interface Estimate {
  readonly mean: number
  readonly sampleSize: number
}

/**
 * Estimates an actor's success in one group of outcomes. The prior of the actor's own outcomes is the broader
 * group's estimate, moved by other actors' outcomes in this group.
 *
 * @param above estimate of success in the broader group
 * @param pull number of outcomes, > 0, that the broader group's estimate weighs as much as
 */
export const backOffForActor = (
  above: Estimate,
  pull: number,
  { others, own }: { readonly others: Tally; readonly own: Tally },
  rule: ActorRule
): Estimate => {
  const mean = Mixture.backOff(pull, above.mean, others)
  const sampleSize = Math.min(above.sampleSize, pull) + others.weight
  if (own.weight <= weightMin) return { mean, sampleSize }
  if (others.weight <= weightMin) {
    return { mean: Mixture.backOff(pull, above.mean, own), sampleSize: sampleSize + own.weight }
  }
  const othersShare = others.weight / (others.weight + rule.othersHalf)
  const ownPull = pull + (Math.min(pull, rule.pull) - pull) * othersShare
  const share = own.weight / (ownPull + own.weight)
  return {
    mean: Mixture.backOff(ownPull, mean, own),
    // A mean of estimates with the weights w has the effective sample size 1 / Σ (w² / size).
    sampleSize: 1 / ((1 - share) ** 2 / sampleSize + share ** 2 / own.weight)
  }
}
