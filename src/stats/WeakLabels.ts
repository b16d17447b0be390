/** What labels teach whose error may differ by model: of each model at most a few outcomes together. */
import type { Tally } from "./NeighbourMixture.ts"

/** Sums of outcomes with labels to trust, as a tally, and beside them of those with weak ones. */
export interface Labelled extends Tally {
  readonly weakWeight: number
  /** In [0, weakWeight]. */
  readonly weakSuccess: number
}

/** {@link Labelled} while outcomes are added. */
export type Sum = { -readonly [Part in keyof Labelled]: Labelled[Part] }

/** What an outcome adds to a sum. */
export interface Added extends Tally {
  readonly isWeak: boolean
}

export const nothing: Labelled = { weight: 0, success: 0, weakWeight: 0, weakSuccess: 0 }

/** Least weight of outcomes: removed ones leave rounding errors. */
export const weightMin = 1e-12

/** Neither a negative weight nor more success than weight, which rounding errors could leave. */
export const roundedOf = ({ success, weakSuccess, weakWeight, weight }: Labelled): Labelled => {
  const [isAny, isAnyWeak] = [weight > weightMin, weakWeight > weightMin]
  return {
    weight: isAny ? weight : 0,
    success: isAny ? Math.min(weight, Math.max(0, success)) : 0,
    weakWeight: isAnyWeak ? weakWeight : 0,
    weakSuccess: isAnyWeak ? Math.min(weakWeight, Math.max(0, weakSuccess)) : 0
  }
}

export const weightOf = ({ weakWeight, weight }: Labelled): number => weight + weakWeight

export const addTo = (sum: Sum, { isWeak, success, weight }: Added): void => {
  if (isWeak) {
    sum.weakWeight += weight
    sum.weakSuccess += success
  } else {
    sum.weight += weight
    sum.success += success
  }
}

/** Adds to a sum by how much a part of it changed. */
export const addChange = (sum: Sum, before: Labelled, after: Labelled): void => {
  sum.weight += after.weight - before.weight
  sum.success += after.success - before.success
  sum.weakWeight += after.weakWeight - before.weakWeight
  sum.weakSuccess += after.weakSuccess - before.weakSuccess
}

/** All but a part. */
export const minus = (all: Labelled, part: Labelled): Labelled => {
  const rest: Sum = { ...all }
  addChange(rest, part, nothing)
  return roundedOf(rest)
}

/**
 * The sums with weak labels that weigh at most `weakMax` >= 0 outcomes together, all less by one factor. More
 * such labels then say no more: what they have in common, a judge's bias towards a model, does not average
 * out.
 */
export const bounded = (labelled: Labelled, weakMax: number): Labelled => {
  const { weakSuccess, weakWeight } = labelled
  return weakWeight <= weakMax
    ? labelled
    : { ...labelled, weakWeight: weakMax, weakSuccess: weakSuccess * weakMax / weakWeight }
}

/** Both kinds of labels as one tally. */
export const taught = ({ success, weakSuccess, weakWeight, weight }: Labelled): Tally =>
  ({ weight: weight + weakWeight, success: success + weakSuccess })
