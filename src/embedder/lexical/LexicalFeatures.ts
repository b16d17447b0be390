/* Features of the built-in embedder: hashed words, pairs of words, and runs of characters. */
import { finalise, fnvStep, offsetBasis } from "../../stats/Hash.ts"

/**
 * Slots of the scratch table; at most 17,000 n-grams of 4,000 characters enter it, so it stays half empty.
 */
const slotCount = 1 << 15
const slotMask = slotCount - 1

/** Scratch of one half, reused by every call: JavaScript runs one at a time and the visit is synchronous. */
const keys = new Uint32Array(slotCount)
const counts = new Uint16Array(slotCount)
const touched = new Uint16Array(slotCount)
let touchedCount = 0

const clear = (): void => {
  for (let index = 0; index < touchedCount; index++) counts[touched[index]!] = 0
  touchedCount = 0
}

const count = (hash: number): void => {
  // Bucket, sign and inverse document frequency read different bits, which the finaliser makes independent.
  const key = finalise(hash) >>> 0
  let slot = key & slotMask
  while (counts[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) & slotMask
  if (counts[slot] === 0) {
    // A full table would probe for ever; text past it adds nothing to a direction.
    if (touchedCount > slotCount * 0.75) return
    keys[slot] = key
    touched[touchedCount++] = slot
  }
  if (counts[slot]! < 65_535) counts[slot] = counts[slot]! + 1
}

const isWordCode = (code: number): boolean =>
  code > 127 || (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95

const pairSeed = 0x1b873593
const gramSeed = 0x2545f491

const countWords = (text: string): void => {
  let previous = 0
  let word = offsetBasis
  let isOpen = false
  for (let index = 0; index <= text.length; index++) {
    const code = index < text.length ? text.charCodeAt(index) : 32
    if (isWordCode(code)) {
      word = fnvStep(word, code)
      isOpen = true
    } else if (isOpen) {
      count(word)
      if (previous !== 0) count(fnvStep(pairSeed, previous) ^ word)
      previous = word
      word = offsetBasis
      isOpen = false
    }
  }
}

/** Characters with runs of white space and control characters made one blank. */
const codes = new Uint16Array(8_192)

const countGrams = (text: string): void => {
  let length = 0
  let wasBlank = true
  for (let index = 0; index < text.length && length < codes.length; index++) {
    const code = text.charCodeAt(index)
    const isBlank = code <= 32 || code === 160
    if (isBlank && wasBlank) continue
    codes[length++] = isBlank ? 32 : code
    wasBlank = isBlank
  }
  if (wasBlank && length > 0) length--
  for (let start = 0; start + 3 <= length; start++) {
    let hash = gramSeed
    hash = fnvStep(hash, codes[start]!)
    hash = fnvStep(hash, codes[start + 1]!)
    hash = fnvStep(hash, codes[start + 2]!)
    count(hash)
    if (start + 4 > length) continue
    hash = fnvStep(hash, codes[start + 3]!)
    count(hash ^ 0x3c6ef372)
    if (start + 5 > length) continue
    hash = fnvStep(hash, codes[start + 4]!)
    count(hash ^ 0x5bd1e995)
  }
}

export type Half = "words" | "characters"

/**
 * Visits every distinct feature of one half of a lower-cased text with its frequency: words are 1- and
 * 2-grams, characters are 3- to 5-grams. A feature is a well-mixed unsigned 32-bit hash.
 */
export const eachFeature = (
  text: string,
  half: Half,
  visit: (feature: number, frequency: number) => void
): void => {
  if (half === "words") countWords(text)
  else countGrams(text)
  for (let index = 0; index < touchedCount; index++) {
    const slot = touched[index]!
    visit(keys[slot]!, counts[slot]!)
  }
  clear()
}

/** 2^14 buckets of inverse document frequency. */
export const idfBucketCount = 1 << 14

/** The idf bucket of a feature: its top 14 bits. The vector's bucket and sign read the low 9 bits. */
export const idfBucketOf = (feature: number): number => feature >>> 18
