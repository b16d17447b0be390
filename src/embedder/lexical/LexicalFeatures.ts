/* Features of the built-in embedder: hashed words, pairs of words, and runs of characters. */
import { TextCodes } from "../../domain/text/TextCodes.ts"
import { finalise, fnvStep, offsetBasis } from "../../stats/Hash.ts"

/** Characters of a text that are read, count; an excerpt has fewer. */
const charsMax = 8_192
/** Most features of one half: three runs begin at each character. */
const featuresMax = 3 * charsMax
/** Slots for each feature, count: a search is short, and seldom goes another way than the last one. */
const slotsPerFeature = 4
const slotsMax = 1 << 16

/**
 * The distinct features of one half of a text, in the order in which they were met, the first `size` of the
 * arrays: a feature is a well-mixed 32-bit hash. Scratch of one half, reused by every call: JavaScript runs
 * one at a time.
 */
class FeatureCounts {
  size = 0
  readonly features = new Int32Array(featuresMax)
  readonly frequencies = new Uint16Array(featuresMax)
  /** By the low bits of a feature, or the next free slot after it: 1 more than its index, 0 for none. */
  readonly #slots = new Uint16Array(slotsMax)
  #mask = 0

  /** Empties the counts, for at most `count` features; a small table stays in the processor's cache. */
  begin(count: number): void {
    let slotCount = 256
    while (slotCount < slotsPerFeature * count) slotCount *= 2
    this.size = 0
    this.#mask = Math.min(slotCount, slotsMax) - 1
    this.#slots.fill(0, 0, this.#mask + 1)
  }

  add(hash: number): void {
    // Bucket, sign and inverse document frequency read different bits, which the finaliser makes independent.
    const feature = finalise(hash)
    const slots = this.#slots
    let slot = feature & this.#mask
    for (let index = slots[slot]!; index !== 0; index = slots[slot]!) {
      if (this.features[index - 1] === feature) {
        this.frequencies[index - 1]!++
        return
      }
      slot = (slot + 1) & this.#mask
    }
    this.features[this.size] = feature
    this.frequencies[this.size] = 1
    slots[slot] = ++this.size
  }
}

const counts = new FeatureCounts()

/** 1 for the characters of a word, by code; all past ASCII are such. */
const isWordCode = Uint8Array.from({ length: 128 }, (_, code) =>
  Number((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95))

const pairSeed = 0x1b873593
const gramSeed = 0x2545f491

/** The text, and its characters with runs of white space and controls made one blank. */
const reading = new TextCodes(charsMax)
const squeezed = new Uint16Array(charsMax)

const countWords = (): void => {
  const { codes } = reading
  const length = Math.min(charsMax, reading.length)
  counts.begin(length + 1)
  let previous = 0
  let word = offsetBasis
  let isOpen = false
  for (let index = 0; index <= length; index++) {
    const code = index < length ? codes[index]! : 32
    if (code > 127 || isWordCode[code] === 1) {
      word = fnvStep(word, code)
      isOpen = true
    } else if (isOpen) {
      counts.add(word)
      if (previous !== 0) counts.add(fnvStep(pairSeed, previous) ^ word)
      previous = word
      word = offsetBasis
      isOpen = false
    }
  }
}

/** Squeezes the codes, and returns how many are left. */
const squeeze = (): number => {
  const { codes } = reading
  const length = Math.min(charsMax, reading.length)
  let size = 0
  let wasBlank = true
  for (let index = 0; index < length; index++) {
    const code = codes[index]!
    const isBlank = code <= 32 || code === 160
    if (isBlank && wasBlank) continue
    squeezed[size++] = isBlank ? 32 : code
    wasBlank = isBlank
  }
  return wasBlank && size > 0 ? size - 1 : size
}

const countGrams = (): void => {
  const size = squeeze()
  counts.begin(3 * size)
  for (let start = 0; start + 3 <= size; start++) {
    const three = fnvStep(
      fnvStep(fnvStep(gramSeed, squeezed[start]!), squeezed[start + 1]!), squeezed[start + 2]!
    )
    counts.add(three)
    if (start + 4 > size) return
    const four = fnvStep(three, squeezed[start + 3]!)
    counts.add(four ^ 0x3c6ef372)
    if (start + 5 > size) continue
    counts.add(fnvStep(four, squeezed[start + 4]!) ^ 0x5bd1e995)
  }
}

/** Takes in the first 8,192 characters of a lower-cased text, of which {@link featuresOf} then tells. */
export const read = (lower: string): void => reading.read(lower)

/** Words are 1- and 2-grams, characters are 3- to 5-grams. */
export type Half = "words" | "characters"

/** The features of one half of the text that was read, with their frequencies; good until the next call. */
export const featuresOf = (half: Half): Readonly<FeatureCounts> => {
  if (half === "words") countWords()
  else countGrams()
  return counts
}

/** 2^14 buckets of inverse document frequency. */
export const idfBucketCount = 1 << 14

/** The idf bucket of a feature: its top 14 bits. The vector's bucket and sign read the low 9 bits. */
export const idfBucketOf = (feature: number): number => feature >>> 18
