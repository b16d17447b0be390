/** The factors of an evidence weight. */
import { clamp } from "./Clamp.ts"

/** The similarities at which the kernel begins and ends to rise. */
export interface KernelScale {
  readonly a: number
  readonly b: number
}

/**
 * Weight of a neighbour by its similarity, in [0, 1]: 0 up to `a`, 1 from `b` on, and linear between. If b <=
 * a, it is a step at `b`.
 */
export const kernel = (similarity: number, { a, b }: KernelScale): number =>
  b > a ? clamp((similarity - a) / (b - a), 0, 1) : similarity >= b ? 1 : 0

/**
 * Share of its weight that evidence keeps with age, in [floor, 1].
 *
 * @param ageDays days since the outcome; below 0, from a clock that runs ahead, it counts as 0
 * @param halfLifeDays > 0
 * @param floor least share, in [0, 1], so that old evidence never loses all weight
 */
export const decay = (ageDays: number, halfLifeDays: number, floor: number): number =>
  Math.max(floor, 2 ** (-Math.max(0, ageDays) / halfLifeDays))
