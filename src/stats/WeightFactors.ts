/** The factors of an evidence weight. */
import { clamp } from "./Clamp.ts"

/** The kernel's two corners, as similarities. */
export interface KernelScale {
  readonly a: number
  readonly b: number
}

/**
 * Weight of a neighbour by its similarity: 0 up to `a`, 1 from `b` on, linear between. In [0, 1].
 * A scale with b <= a is a step at `b`.
 */
export const kernel = (similarity: number, { a, b }: KernelScale): number =>
  b > a ? clamp((similarity - a) / (b - a), 0, 1) : similarity >= b ? 1 : 0

/**
 * Share of its weight that evidence keeps with age, in [floor, 1].
 *
 * @param ageDays days since the outcome; a clock that runs ahead (below 0) counts as 0
 * @param halfLifeDays > 0
 * @param floor least share, in [0, 1]: old evidence never loses all weight
 */
export const decay = (ageDays: number, halfLifeDays: number, floor: number): number =>
  Math.max(floor, 2 ** (-Math.max(0, ageDays) / halfLifeDays))
