/** Driver of {@link Embedder}: the built-in one, which hashes words and characters. */
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { excerptOf } from "../../domain/Task.ts"
import { BoundedMap } from "../../resilience/BoundedMap.ts"
import { Embedder } from "../Embedder.ts"
import { featuresOf, type Half, idfBucketOf, read } from "./LexicalFeatures.ts"

export const lexicalDimensions = 256
export const lexicalIdentity = "lexical/1/256"

/** One step of the quantised idf, in nats: 255 steps reach 12.75, past ln of any corpus we learn from. */
export const idfStep = 0.05

/** In steps, so that the table stays in the processor's cache. */
const idfSteps = readFileSync(new URL("./idf.bin", import.meta.url))
const idfOfSteps = Float32Array.from({ length: 256 }, (_, steps) => steps * idfStep)

/** Sublinear frequency 1 + ln tf, tabled for the common ones. */
const sublinear = Float32Array.from(
  { length: 64 },
  (_, frequency) => frequency === 0 ? 0 : 1 + Math.log(frequency)
)

/** The sum of one half's features: scratch space of one synchronous call. */
const sums = new Float32Array(lexicalDimensions)

/** Adds one half of the features, scaled to length one; nothing without any. */
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
    // A branch on the sign's bit, which is random, would be mispredicted half of the time.
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

/** Texts, count: those of the last ten seconds at 400 a second. Some 8 MB with texts of 1,000 characters. */
const recentMax = 4_096
/**
 * Vectors of the latest texts: a task is embedded to recall, to detect repeats, and again to teach, which is
 * when its call has ended.
 */
const recent = new BoundedMap<string, Float32Array>(recentMax)

/**
 * Direction of a text in 256 dimensions: words' 1-2-grams and characters' 3-5-grams, weighted (1 + ln tf) ·
 * idf, each half normalised, hashed with signs (Weinberger et al. 2009), the whole normalised.
 *
 * Reads the first 3,000 and last 1,000 characters. A text without any feature gives the zero vector, whose
 * similarity to everything is 0. It detects repetition, not meaning: a paraphrase in new words is far away.
 * The vector is shared between callers and must not be changed.
 */
export const embedLexical = (text: string): Float32Array => {
  const excerpt = excerptOf(text)
  const known = recent.get(excerpt)
  if (known !== undefined) return known
  const vector = embedAnew(excerpt)
  recent.set(excerpt, vector)
  return vector
}

/** The built-in embedder: no network, no model file but 16 KB of document frequencies; never fails. */
export const layer = Layer.succeed(Embedder, {
  identity: lexicalIdentity,
  dimensions: lexicalDimensions,
  embed: (text) => Effect.sync(() => embedLexical(text))
})
