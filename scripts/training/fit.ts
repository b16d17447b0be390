/** Logistic regression by AdaGrad over hashed sentences, for the two small models of the classifier. */
import type { SentenceModel } from "../../src/engine/classifier/SentenceModel.ts"

export interface Sentence {
  readonly buckets: ReadonlyArray<number>
  /** True if it is of the kind that the model's log odds are for. */
  readonly isOne: boolean
  readonly weight: number
}

const learningRate = 0.1
const ridge = 1e-4

/**
 * Fits a model. The same sentences and the same `random` give the same model; `random` is drawn `epochs` times for each
 * sentence.
 */
export const fit = (
  sentences: ReadonlyArray<Sentence>,
  bucketCount: number,
  epochs: number,
  random: () => number
): SentenceModel => {
  const mean = sentences.reduce((sum, { weight }) => sum + weight, 0) / sentences.length
  const weights = new Float32Array(bucketCount)
  const squares = new Float32Array(bucketCount).fill(1e-6)
  for (let step = 0; step < sentences.length * epochs; step++) {
    const { buckets, isOne, weight } = sentences[Math.floor(random() * sentences.length)]!
    const score = buckets.reduce((sum, bucket) => sum + weights[bucket]!, 0)
    const gradient = Math.min(10, weight / mean) * (1 / (1 + Math.exp(-score)) - Number(isOne))
    for (const bucket of buckets) {
      const slope = gradient + ridge * weights[bucket]!
      squares[bucket]! += slope * slope
      weights[bucket]! -= learningRate * slope / Math.sqrt(squares[bucket]!)
    }
  }
  const scale = weights.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127
  return { scale, rows: Int8Array.from(weights, (value) => Math.round(value / scale)) }
}
