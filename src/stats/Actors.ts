/** The weight of one actor among several: within a tally of many, and beside the actor's own outcomes. */
import * as Mixture from "./NeighbourMixture.ts"
import type { Tally } from "./NeighbourMixture.ts"

/** Least weight of outcomes; less is what rounding leaves of removed ones. */
const weightMin = 1e-9

/**
 * A tally of several actors in which the heaviest has at most half of the weight, or what it weighs alone:
 * less than `loneMax`, however many outcomes it has. That actor's outcomes are scaled down and keep their
 * mean. Another actor's outcome thereby never takes weight away.
 *
 * @param heaviest the part of the actor with the highest weight
 * @param loneMax outcomes, > 0; half of it is reached at as many outcomes
 * @param isLoneBound whether an actor without any other is scaled down as well
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
 * Lowers weights of single outcomes of which some are other actors': of the others none has more than half of
 * the others' weight, unless it is the only one, and together they weigh at most 1 / the own weight: all
 * where there are no own outcomes, one beside one, and ever less beside more. Weights are never raised.
 *
 * @param actorOf the other actor of outcome i, as a number; NaN for an own outcome
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

/** How soon an actor's own outcomes decide where others have outcomes as well; both in outcomes, > 0. */
export interface ActorRule {
  /**
   * Pull of many others on the actor's own outcomes: four is best where the success rates of actors have a
   * standard deviation of 0.2.
   */
  readonly pull: number
  /** Others' outcomes at which the pull is halfway between that of a lane without others and `pull`. */
  readonly othersHalf: number
}

/** A mean, and the outcomes that it is worth. */
export interface Estimate {
  readonly mean: number
  readonly sampleSize: number
}

/**
 * One level of a back-off for an actor: the others' outcomes move the estimate above, and the actor's own
 * outcomes then pull against a few outcomes of that. What others report thereby moves the actor little, and
 * how much they reported hardly matters. Without others it is the plain level of all outcomes; without own
 * outcomes the level of the others.
 *
 * @param above the estimate of the level above
 * @param pull of the level above, outcomes, > 0
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
    // The inverse variance of the weighted mean: a mean that moves to few own outcomes is worth as few.
    sampleSize: 1 / ((1 - share) ** 2 / sampleSize + share ** 2 / own.weight)
  }
}
