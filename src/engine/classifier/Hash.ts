/** Hashing of words: FNV-1a of tokens, and a finaliser that turns hashes into buckets. */

/** A well mixed 32-bit number, whose low bits serve as a bucket (the finaliser of MurmurHash 3). */
export const finalise = (hash: number): number => {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
/** One step of FNV-1a. */
export const mix = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193)
export const offsetBasis = 0x811c9dc5 | 0

const isWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || code === 39 || code === 95 || code === 35 || code === 43 || code >= 0xc0
const isIdeograph = (code: number): boolean => code >= 0x3040 && code <= 0xd7af
const isPunctuation = (code: number): boolean => code > 32 && code < 127

/** FNV-1a of each token of lower-case `text`: digit runs are one "0", ideographs and marks stand alone. */
export const tokens = (text: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  let hash = offsetBasis
  let open = false
  let number = false
  const close = () => {
    if (open) found.push(hash)
    hash = offsetBasis
    open = false
    number = false
  }
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const digit = code >= 48 && code <= 57
    if (isIdeograph(code)) { close(); found.push(mix(offsetBasis, code)) }
    else if (digit || isWord(code)) {
      if (!digit || !number) hash = mix(hash, digit ? 48 : code)
      number = digit
      open = true
    } else {
      close()
      if (isPunctuation(code) && code !== 34 && code !== 44 && code !== 46) found.push(mix(offsetBasis, code))
    }
  }
  close()
  return found
}
