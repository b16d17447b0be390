/** The factors from which the weight of an outcome as evidence is computed. */
import { clamp } from "./Clamp.ts"

/** The similarities at which a neighbour's weight begins to rise, and at which it is full. */
export interface KernelScale {
  readonly a: number
  readonly b: number
}

/** Weight by similarity: 0 up to `a`, 1 from `b` on, and linear between them; a jump at `b` if b <= a. */
export const kernel = (similarity: number, { a, b }: KernelScale): number =>
  b > a ? clamp((similarity - a) / (b - a), 0, 1) : similarity >= b ? 1 : 0

/**
 * The share of its weight that evidence keeps with age, in [floor, 1].
 *
 * @param ageDays an age below 0, from a clock that runs ahead, counts as 0
 */
export const decay = (ageDays: number, halfLifeDays: number, floor: number): number =>
  Math.max(floor, 2 ** (-Math.max(0, ageDays) / halfLifeDays))
