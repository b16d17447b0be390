/* Rounds vectors to 8 bits. */
import type { TaskVector } from "../../domain/text/TaskText.ts"

/** A unit vector, or zeros for a text without features: coordinate i is `vector[i] * scale`. */
export interface QuantisedVector {
  readonly scale: number
  readonly vector: Int8Array
}

/** Rounds coordinates to 1/127 of the largest one, and scales the rounded vector to length 1. */
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

/** Names the embedder, and writes the coordinates in base64, as a decision stores them. */
export const taskVectorOf = (embedder: string, { scale, vector }: QuantisedVector): TaskVector =>
  ({ embedder, scale, vector: Buffer.from(vector).toString("base64") })
