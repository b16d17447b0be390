/* Extracts the features of a text: hashed words, word pairs and runs of characters. */
import { TextCodes } from "../../domain/text/TextCodes.ts"
import { finalise, fnvStep, offsetBasis } from "../../stats/Hash.ts"

/** Maximum number of characters that are read of a text. */
const charsMax = 8_192
const featuresMax = 3 * charsMax
/** Minimum number of hash table slots per feature, up to `slotsMax` slots in all. */
const slotsPerFeature = 4
const slotsMax = 1 << 16

/**
 * The distinct features of one kind in a text, with frequencies. A feature is a well-mixed 32-bit hash. Every
 * call reuses the arrays, which is safe because the work is synchronous.
 */
class FeatureCounts {
  size = 0
  readonly features = new Int32Array(featuresMax)
  readonly frequencies = new Uint16Array(featuresMax)
  /** A slot of the hash table holds the feature's index + 1, or 0 if the slot is free. */
  readonly #slots = new Uint16Array(slotsMax)
  #mask = 0

  /** Empties the table and sizes it for `count` features. */
  begin(count: number): void {
    let slotCount = 256
    while (slotCount < slotsPerFeature * count) slotCount *= 2
    this.size = 0
    this.#mask = Math.min(slotCount, slotsMax) - 1
    this.#slots.fill(0, 0, this.#mask + 1)
  }

  add(hash: number): void {
    // Bucket, sign and idf use different bits, which the finaliser makes independent.
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

/** For each ASCII code, 1 if the character belongs to words. All characters above ASCII belong to words. */
const isWordCode = Uint8Array.from({ length: 128 }, (_, code) =>
  Number((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95))

const pairSeed = 0x1b873593
const gramSeed = 0x2545f491

const reading = new TextCodes(charsMax)
/** The text's characters, with one blank for each run of characters below code 33 or of code 160. */
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

/** Writes the text into {@link squeezed} with single blanks, and returns the new length. */
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

/** Reads the first 8,192 characters of a lower-case text for {@link featuresOf}. */
export const read = (lower: string): void => reading.read(lower)

/** The two kinds of features: 1- and 2-grams of words, and 3- to 5-grams of characters. */
export type Half = "words" | "characters"

/** The next call of `featuresOf` overwrites the returned arrays. */
export const featuresOf = (half: Half): Readonly<FeatureCounts> => {
  if (half === "words") countWords()
  else countGrams()
  return counts
}

export const idfBucketCount = 1 << 14

/** Returns a feature's top 14 bits. A feature's low 9 bits choose a coordinate of the vector and the sign. */
export const idfBucketOf = (feature: number): number => feature >>> 18
