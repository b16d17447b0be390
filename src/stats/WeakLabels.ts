/** Sums of outcomes with trusted and with weak labels, such as a judge's, whose error may differ by model. */
import type { Tally } from "./NeighbourMixture.ts"

export interface Labelled extends Tally {
  readonly weakWeight: number
  /** Weighted sum of the successes with weak labels, in [0, weakWeight]. */
  readonly weakSuccess: number
}

export type Sum = { -readonly [Part in keyof Labelled]: Labelled[Part] }

export interface Added extends Tally {
  readonly isWeak: boolean
}

export const nothing: Labelled = { weight: 0, success: 0, weakWeight: 0, weakSuccess: 0 }

/** Minimum weight of outcomes, because removed outcomes leave rounding errors. */
export const weightMin = 1e-12

/** Removes rounding errors: no weight is below 0, and no success is outside [0, weight]. */
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

/** Changes a sum by the amount by which one of its parts changed. */
export const addChange = (sum: Sum, before: Labelled, after: Labelled): void => {
  sum.weight += after.weight - before.weight
  sum.success += after.success - before.success
  sum.weakWeight += after.weakWeight - before.weakWeight
  sum.weakSuccess += after.weakSuccess - before.weakSuccess
}

export const minus = (all: Labelled, part: Labelled): Labelled => {
  const rest: Sum = { ...all }
  addChange(rest, part, nothing)
  return roundedOf(rest)
}

/**
 * Scales weak labels down to at most `weakMax` >= 0 outcomes. Weak labels beyond `weakMax` add nothing,
 * because a shared error, such as a judge's bias, does not average out.
 */
export const bounded = (labelled: Labelled, weakMax: number): Labelled => {
  const { weakSuccess, weakWeight } = labelled
  return weakWeight <= weakMax
    ? labelled
    : { ...labelled, weakWeight: weakMax, weakSuccess: weakSuccess * weakMax / weakWeight }
}

export const taught = ({ success, weakSuccess, weakWeight, weight }: Labelled): Tally =>
  ({ weight: weight + weakWeight, success: success + weakSuccess })
