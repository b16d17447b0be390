/** The factors of an evidence weight. */
import { clamp } from "./Clamp.ts"

/**
 * Weight of a neighbour by its similarity: 0 up to `a`, 1 from `b` on, linear between. In [0, 1].
 * A scale with b <= a is a step at `b`.
 */
export const kernel = (similarity: number, a: number, b: number): number =>
  b > a ? clamp((similarity - a) / (b - a), 0, 1) : similarity >= b ? 1 : 0

/** The kernel's two corners, as similarities. */
export interface KernelScale {
  readonly a: number
  readonly b: number
}

/** Least width of the band between the kernel's corners, similarity. */
const bandMin = 0.05

/** Least similarity of two identical tasks: an 8-bit vector of a text is 0.9999 similar to the text's own. */
const identicalMin = 0.99

/**
 * Fits the kernel to a lane, so that it needs no retuning for another embedder. The band is at least 0.05
 * wide and ends at 0.99 at the latest, so that an identical task weighs fully in every lane, also in one that
 * repeats a single task.
 *
 * @param lo running mean of the mean similarity of a request to the lane's records
 * @param hi running mean of the 5th highest similarity of a request
 */
export const kernelScale = (lo: number, hi: number): KernelScale => {
  const a = lo + 0.3 * (hi - lo)
  const b = Math.min(identicalMin, Math.max(hi, a + bandMin))
  return { a: Math.min(a, b - bandMin), b }
}

/**
 * Share of its weight that evidence keeps with age, in [floor, 1].
 *
 * @param ageDays days since the outcome; a clock that runs ahead (below 0) counts as 0
 * @param halfLifeDays > 0
 * @param floor least share, in [0, 1]: old evidence never loses all weight
 */
export const decay = (ageDays: number, halfLifeDays: number, floor: number): number =>
  Math.max(floor, 2 ** (-Math.max(0, ageDays) / halfLifeDays))
