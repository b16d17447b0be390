/** Driver of {@link Embedder}: the built-in embedder, which hashes words and characters. */
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { excerptOf } from "../../domain/Task.ts"
import { BoundedMap } from "../../resilience/BoundedMap.ts"
import { Embedder } from "../Embedder.ts"
import { featuresOf, type Half, idfBucketOf, read } from "./LexicalFeatures.ts"

export const lexicalDimensions = 256
export const lexicalIdentity = "lexical/1/256"

/** One step of the stored idf (inverse document frequency), nats: 255 steps reach 12.75. */
export const idfStep = 0.05

/** The idf of each hash bucket, as a number of steps in one byte. */
const idfSteps = readFileSync(new URL("./idf.bin", import.meta.url))
const idfOfSteps = Float32Array.from({ length: 256 }, (_, steps) => steps * idfStep)

/** The sublinear frequency 1 + ln tf, for small term frequencies tf. */
const sublinear = Float32Array.from(
  { length: 64 },
  (_, frequency) => frequency === 0 ? 0 : 1 + Math.log(frequency)
)

/** The sum of the features of words, or of characters; every call reuses the array. */
const sums = new Float32Array(lexicalDimensions)

/** Adds a text's features of one kind, scaled to length 1, to a vector; adds nothing if there are none. */
const addHalf = (vector: Float32Array, half: Half): void => {
  const { features, frequencies, size } = featuresOf(half)
  sums.fill(0)
  let squares = 0
  for (let index = 0; index < size; index++) {
    const feature = features[index]!
    const frequency = frequencies[index]!
    const share = frequency < 64 ? sublinear[frequency]! : 1 + Math.log(frequency)
    const weight = share * idfOfSteps[idfSteps[idfBucketOf(feature)]!]!
    squares += weight * weight
    // The sign is computed without a branch, which is faster for random bits.
    sums[feature & 0xff]! += weight * (1 - ((feature >>> 7) & 2))
  }
  if (squares === 0) return
  const scale = 1 / Math.sqrt(squares)
  for (let index = 0; index < lexicalDimensions; index++) vector[index]! += sums[index]! * scale
}

const embedAnew = (excerpt: string): Float32Array => {
  read(excerpt.toLowerCase())
  const vector = new Float32Array(lexicalDimensions)
  addHalf(vector, "words")
  addHalf(vector, "characters")
  let norm = 0
  for (let index = 0; index < lexicalDimensions; index++) norm += vector[index]! * vector[index]!
  if (norm === 0) return vector
  const scale = 1 / Math.sqrt(norm)
  for (let index = 0; index < lexicalDimensions; index++) vector[index] = vector[index]! * scale
  return vector
}

const recentMax = 4_096
/** Vectors are remembered because a task is embedded for the recall and again to teach its outcome. */
const recent = new BoundedMap<string, Float32Array>(recentMax)

/**
 * Embeds a text as a unit vector of 256 dimensions. The features are 1- and 2-grams of words, and 3- to
 * 5-grams of characters, weighted by (1 + ln tf) · idf. The features are hashed to dimensions and signs, as
 * Weinberger and others describe (2009). The vector of words and the vector of characters are normalised,
 * added, and normalised again. A text without features gives the zero vector. The embedder recognises
 * repeated words but not meaning. Callers share the vector and must not change it.
 */
export const embedLexical = (text: string): Float32Array => {
  const excerpt = excerptOf(text)
  const known = recent.get(excerpt)
  if (known !== undefined) return known
  const vector = embedAnew(excerpt)
  recent.set(excerpt, vector)
  return vector
}

export const layer = Layer.succeed(Embedder, {
  identity: lexicalIdentity,
  dimensions: lexicalDimensions,
  embed: (text) => Effect.sync(() => embedLexical(text))
})
