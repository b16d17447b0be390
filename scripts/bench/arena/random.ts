/** A seeded source of numbers in [0, 1). */
export type Random = () => number

/** Mulberry32: 32 bits of state, the same stream as the reference replay's for the same seed. */
export const randomFrom = (seed: number): Random => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

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

/** Standard normal, by Box and Muller. */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
