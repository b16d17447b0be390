/** The weights of the model of task types and difficulty, their file format, and a task's scores. */
import { readFileSync } from "node:fs"
import { taskTypes } from "../../domain/Task.ts"
import { bucketCount, type Features } from "./Features.ts"

/** One column per task type and one for the difficulty. {@link scores} has a variable for each column. */
export const columns = taskTypes.length + 1

/**
 * The header's 32-bit floats: the temperature, all scales and all biases. Rows of int8 numbers follow the
 * header.
 */
const headerFloats = 1 + 2 * columns
const fileBytes = headerFloats * 4 + bucketCount * columns

/** A linear model: `rows[bucket * columns + column] * scales[column]` is one weight. */
export interface Weights {
  readonly temperature: number
  readonly scales: Float32Array
  readonly biases: Float32Array
  readonly rows: Int8Array
}

/** Throws a RangeError if the file has another size than the model. */
export const decode = (bytes: Uint8Array): Weights => {
  if (bytes.byteLength !== fileBytes) {
    throw new RangeError(`weights.bin has ${bytes.byteLength} bytes, not ${fileBytes}`)
  }
  const copy = new Uint8Array(bytes)
  const header = new Float32Array(copy.buffer, 0, headerFloats)
  return {
    temperature: header[0]!,
    scales: header.subarray(1, 1 + columns),
    biases: header.subarray(1 + columns),
    rows: new Int8Array(copy.buffer, headerFloats * 4)
  }
}

export const encode = (weights: Weights): Uint8Array => {
  const bytes = new Uint8Array(fileBytes)
  new Float32Array(bytes.buffer, 0, headerFloats).set([
    weights.temperature,
    ...weights.scales,
    ...weights.biases
  ])
  new Int8Array(bytes.buffer, headerFloats * 4).set(weights.rows)
  return bytes
}

/**
 * The scores of all columns, not yet divided by the temperature. A variable for each sum is faster than a
 * loop over columns.
 */
export const scores = (weights: Weights, { buckets, size, values }: Features): Float64Array => {
  const { biases, rows, scales } = weights
  let [a, b, c, d, e, f] = [0, 0, 0, 0, 0, 0]
  let [g, h, i, j, k, l] = [0, 0, 0, 0, 0, 0]
  for (let index = 0; index < size; index++) {
    const row = buckets[index]! * columns
    const value = values[index]!
    a += value * rows[row]!
    b += value * rows[row + 1]!
    c += value * rows[row + 2]!
    d += value * rows[row + 3]!
    e += value * rows[row + 4]!
    f += value * rows[row + 5]!
    g += value * rows[row + 6]!
    h += value * rows[row + 7]!
    i += value * rows[row + 8]!
    j += value * rows[row + 9]!
    k += value * rows[row + 10]!
    l += value * rows[row + 11]!
  }
  const sums = Float64Array.of(a, b, c, d, e, f, g, h, i, j, k, l)
  for (let column = 0; column < columns; column++) {
    sums[column] = sums[column]! * scales[column]! + biases[column]!
  }
  return sums
}

export const load = (): Weights => decode(readFileSync(new URL("./weights.bin", import.meta.url)))
