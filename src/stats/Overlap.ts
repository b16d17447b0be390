/* The overlap of two sets. */

export const overlapOf = <A>(left: ReadonlySet<A>, right: ReadonlySet<A>): number => {
  let common = 0
  for (const each of left) if (right.has(each)) common++
  return common
}

/**
 * Computes the Dice coefficient: twice the common elements over the sum of both sizes, in [0, 1]; 0 if both
 * sets are empty.
 */
export const dice = <A>(left: ReadonlySet<A>, right: ReadonlySet<A>): number =>
  left.size + right.size === 0 ? 0 : 2 * overlapOf(left, right) / (left.size + right.size)
