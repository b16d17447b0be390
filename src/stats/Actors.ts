/** Bounds the weight of one actor's outcomes in a tally of several, and estimates the success of an actor. */
import * as Mixture from "./NeighbourMixture.ts"
import type { Tally } from "./NeighbourMixture.ts"

/** Least weight of outcomes. Removed outcomes leave rounding errors below it. */
const weightMin = 1e-9

/**
 * Bounds the heaviest actor of a tally. It keeps as much weight as all other actors have, or w / (1 + w /
 * loneMax) if that is more. Its outcomes are scaled down and keep their mean. With the second bound, an
 * outcome of another actor never lowers the total weight.
 *
 * @param heaviest the part of the actor with the highest weight w
 * @param loneMax highest weight that an actor can have alone, outcomes, > 0; half of it at w = loneMax
 * @param isLoneBound true if the only actor of a tally is scaled down too
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
 * Lowers the weights of other actors' outcomes beside an actor's own. Together the others weigh at most 1 /
 * own weight. If there are several other actors, none has more than half of the others' weight. Without own
 * outcomes only the second bound applies. Weights are never raised.
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

/** How strongly other actors' outcomes pull on an actor's estimate. Both numbers are outcomes, > 0. */
export interface ActorRule {
  /**
   * Weight of the others' mean against the actor's own outcomes, if the others have many. Four is best if the
   * success rates of actors have a standard deviation of 0.2.
   */
  readonly pull: number
  /** Weight of the others' outcomes at which the pull is the mean of the level's pull and `pull`. */
  readonly othersHalf: number
}

/** A mean, and the number of outcomes that it is worth. */
export interface Estimate {
  readonly mean: number
  readonly sampleSize: number
}

/**
 * One level of a back-off for an actor. The others' outcomes move the estimate of the level above. The result
 * counts as a few outcomes beside the actor's own, however much the others report.
 *
 * @param above the estimate of the level above
 * @param pull number of outcomes, > 0, that `above` counts as
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
    // The inverse variance of the weighted mean, which is low if few own outcomes have most of the weight.
    sampleSize: 1 / ((1 - share) ** 2 / sampleSize + share ** 2 / own.weight)
  }
}
