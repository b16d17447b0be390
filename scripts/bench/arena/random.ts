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

/** A whole number between two, drawn evenly in its logarithm. */
export const between = ([least, most]: readonly [number, number], random: Random): number =>
  Math.round(least * (most / least) ** random())

/** One of the values by their shares, which add up to 1; `draw` is in [0, 1) and the list is not empty. */
export const byShare = <A extends { readonly share: number }>(values: ReadonlyArray<A>, draw: number): A => {
  let left = draw
  return values.find(({ share }) => (left -= share) < 0) ?? values[0]!
}

/** One of the values, all alike likely; the list is not empty. */
export const pickFrom = <A>(values: ReadonlyArray<A>, random: Random): A =>
  values[Math.min(values.length - 1, Math.floor(random() * values.length))]!
