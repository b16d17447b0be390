/* A vector in 8-bit steps, as memory compares it and as a decision keeps it. */
import type { TaskVector } from "../../domain/text/TaskText.ts"

/**
 * A unit vector in 8-bit steps: `vector[i] · scale` is a coordinate. All zero for a text without features.
 */
export interface QuantisedVector {
  readonly scale: number
  readonly vector: Int8Array
}

/** Quantises to 127 steps of the largest coordinate; the scale makes the result a unit vector again. */
export const quantise = (vector: Float32Array): QuantisedVector => {
  let largest = 0
  for (const coordinate of vector) largest = Math.max(largest, Math.abs(coordinate))
  const quantised = new Int8Array(vector.length)
  if (!(largest > 0) || !Number.isFinite(largest)) return { scale: 0, vector: quantised }
  let squares = 0
  for (let index = 0; index < vector.length; index++) {
    const step = Math.round(vector[index]! / largest * 127)
    quantised[index] = step
    squares += step * step
  }
  return { scale: 1 / Math.sqrt(squares), vector: quantised }
}

/** A quantised vector in the form in which a decision keeps it. */
export const taskVectorOf = (embedder: string, { scale, vector }: QuantisedVector): TaskVector =>
  ({ embedder, scale, vector: Buffer.from(vector).toString("base64") })
