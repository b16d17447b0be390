/* A table of word vectors as `scripts/training/wordVectors.ts` makes it, and the meaning of a text by it. */
import { readFileSync } from "node:fs"
import { featuresOf, read } from "../../../src/embedder/lexical/LexicalFeatures.ts"
import { finalise, fnvStep, offsetBasis } from "../../../src/stats/Hash.ts"

/** Numbers of a word's vector, count. */
export const meaningDimensions = 100
/** Bytes of a word: its hash, its scale, and a byte for each number. */
export const bytesPerWord = 8 + meaningDimensions

/** The hash of a lower-case word: the feature that `LexicalFeatures` has of it, 32 bits, signed. */
export const hashOfWord = (word: string): number => {
  let hash = offsetBasis
  for (let i = 0; i < word.length; i++) hash = fnvStep(hash, word.charCodeAt(i))
  return finalise(hash)
}

interface Meanings {
  readonly dimensions: number
  /**
   * The sum of the vectors of a text's words, each times 1 + ln of its frequency, as a unit vector; zero
   * without a word of the table.
   */
  readonly meaningOf: (text: string) => Float32Array
}

/** The table in a file: the hashes of all words, their scales, their vectors in 8-bit steps. */
export const meaningsIn = (file: string): Meanings => {
  const bytes = readFileSync(file)
  const count = bytes.length / bytesPerWord
  if (!Number.isInteger(count)) throw new Error(`${file} is no table of word vectors`)
  const rowOf = new Map(Array.from({ length: count }, (_, row) => [bytes.readInt32LE(4 * row), row]))
  const meaningOf = (text: string): Float32Array => {
    read(text.toLowerCase())
    const { features, frequencies, size } = featuresOf("words")
    const sum = new Float32Array(meaningDimensions)
    for (let index = 0; index < size; index++) {
      const row = rowOf.get(features[index]!)
      if (row === undefined) continue
      const weight = bytes.readFloatLE(4 * (count + row)) * (1 + Math.log(frequencies[index]!))
      const from = 8 * count + row * meaningDimensions
      for (let i = 0; i < meaningDimensions; i++) sum[i]! += weight * bytes.readInt8(from + i)
    }
    const norm = Math.hypot(...sum)
    return norm === 0 ? sum : sum.map((coordinate) => coordinate / norm)
  }
  return { dimensions: meaningDimensions, meaningOf }
}
