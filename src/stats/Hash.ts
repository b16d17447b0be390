/* Hashes of texts and bytes: 32-bit FNV-1a with a final mix. */

/** The initial value of 32-bit FNV-1a, as a signed number. @see Fowler, Noll and Vo (1991) */
export const offsetBasis = 0x811c9dc5 | 0

const fnvPrime = 0x01000193

/** One step of FNV-1a: the hash after one more character code. */
export const fnvStep = (hash: number, code: number): number => Math.imul(hash ^ code, fnvPrime)

/** The finaliser of MurmurHash3: a signed 32-bit number with well-mixed low bits. */
export const finalise = (hash: number): number => {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

/** Computes the hash of a text from index `from` on, a whole number in [0, 2^32). */
export const hashOf = (text: string, from = 0): number => {
  let hash = offsetBasis
  for (let i = from; i < text.length; i++) hash = fnvStep(hash, text.charCodeAt(i))
  return finalise(hash) >>> 0
}

/** The character code of the hexadecimal digit of a number in [0, 15]. */
const digitCode = (digit: number): number => digit < 10 ? 48 + digit : 87 + digit

/** Computes {@link hashOf} of the lower-case hexadecimal text of bytes, without making that text. */
export const hashOfHex = (bytes: Uint8Array, from: number, to: number): number => {
  let hash = offsetBasis
  for (let i = from; i < to; i++) {
    hash = fnvStep(fnvStep(hash, digitCode(bytes[i]! >> 4)), digitCode(bytes[i]! & 15))
  }
  return finalise(hash) >>> 0
}
