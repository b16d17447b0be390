/** Seeded random numbers and hashes: the same input gives the same numbers. */

/** A small seeded generator (mulberry32): the same seed gives the same numbers, each in [0, 1). */
export const generator = (seed: number): () => number => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A standard normal draw from two uniform ones. @see Box and Muller (1958) */
export const normal = (uniform: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())

const start = 0x811c9dc5
const mixed = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193)

const finished = (hash: number): number => {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return (twice ^ (twice >>> 16)) >>> 0
}

/**
 * A well-mixed hash of a text from an index on, a whole number in [0, 2^32): FNV-1a and a final avalanche.
 */
export const hashOf = (text: string, from = 0): number => {
  let hash = start
  for (let i = from; i < text.length; i++) hash = mixed(hash, text.charCodeAt(i))
  return finished(hash)
}

/** The character code of a hexadecimal digit in [0, 15]. */
const digitCode = (digit: number): number => digit < 10 ? 48 + digit : 87 + digit

/** {@link hashOf} the lower-case hexadecimal text of bytes, without making it. */
export const hashOfHex = (bytes: Uint8Array, from: number, to: number): number => {
  let hash = start
  for (let i = from; i < to; i++) {
    hash = mixed(mixed(hash, digitCode(bytes[i]! >> 4)), digitCode(bytes[i]! & 15))
  }
  return finished(hash)
}
