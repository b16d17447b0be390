/* Shuffles and picks from a seeded source of numbers. */

/** A seeded source of numbers in [0, 1). */
export type Random = () => number

/** Fisher-Yates from the end, on a copy. */
export const shuffled = <A>(values: ReadonlyArray<A>, random: Random): ReadonlyArray<A> => {
  const copy = [...values]
  for (let last = copy.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const held = copy[last]!
    copy[last] = copy[other]!
    copy[other] = held
  }
  return copy
}

/** One of the values, all alike likely; the list is not empty. */
export const pickFrom = <A>(values: ReadonlyArray<A>, random: Random): A =>
  values[Math.min(values.length - 1, Math.floor(random() * values.length))]!
