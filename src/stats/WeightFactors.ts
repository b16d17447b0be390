/** The factors from which the weight of an outcome as evidence is computed. */
import { clamp } from "./Clamp.ts"

/** The similarities at which a neighbour's weight begins to rise, and at which it is full. */
export interface KernelScale {
  readonly a: number
  readonly b: number
}

/**
 * Computes the weight of a neighbour by its similarity, in [0, 1]: 0 up to `a`, 1 from `b` on, and linear
 * between. If b <= a, the weight jumps from 0 to 1 at `b`.
 */
export const kernel = (similarity: number, { a, b }: KernelScale): number =>
  b > a ? clamp((similarity - a) / (b - a), 0, 1) : similarity >= b ? 1 : 0

/**
 * Computes the share of its weight that evidence keeps with age, in [floor, 1].
 *
 * @param ageDays days since the outcome; below 0, from a clock that runs ahead, it counts as 0
 * @param halfLifeDays > 0
 * @param floor minimum share, in [0, 1], so that old evidence never loses all weight
 */
export const decay = (ageDays: number, halfLifeDays: number, floor: number): number =>
  Math.max(floor, 2 ** (-Math.max(0, ageDays) / halfLifeDays))
