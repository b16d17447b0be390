/* Quantised vectors of a lane, and their cosines with a query. */
import type { TaskVector } from "../../domain/text/TaskText.ts"
import { dotsOver } from "./DotProductWasm.ts"

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

/** The quantised vector of an embedder among those of a decision; null without one. */
export const vectorAmong = (
  vectors: ReadonlyArray<TaskVector> | undefined,
  embedder: string
): QuantisedVector | null => {
  const found = vectors?.find((each) => each.embedder === embedder)
  return found === undefined
    ? null
    : { scale: found.scale, vector: new Int8Array(Buffer.from(found.vector, "base64")) }
}

/**
 * Steps of the query's largest coordinate: 12 bits, so that sums with 8-bit rows over 4,096 dimensions fit 31
 * bits.
 */
const querySteps = 4_095

/** Fewest rows of a WebAssembly memory of their own, count: each takes gigabytes of address space. */
const ownMemoryRowsMin = 512

const pageBytes = 65_536

/** A WebAssembly memory: an int16 query, int32 products of every row, int8 rows. */
interface Kernel {
  readonly query: Int16Array
  readonly products: Int32Array
  readonly rows: Int8Array
  /** Multiplies the query with the first `count` >= 1 rows. */
  readonly multiply: (count: number) => void
}

/** A memory for so many rows, each of `stride` dimensions, a multiple of 8. */
const kernelFor = (stride: number, capacity: number): Kernel => {
  const productsAt = stride * 2
  const rowsAt = productsAt + capacity * 4
  const memory = new WebAssembly.Memory({ initial: Math.ceil((rowsAt + capacity * stride) / pageBytes) })
  const dots = dotsOver(memory, stride)
  return {
    query: new Int16Array(memory.buffer, 0, stride),
    products: new Int32Array(memory.buffer, productsAt, capacity),
    rows: new Int8Array(memory.buffer, rowsAt, capacity * stride),
    multiply: (count) => dots(0, rowsAt, count, productsAt)
  }
}

/** By stride, the memory that small lanes are copied into to be multiplied. */
const shared = new Map<number, Kernel>()

const sharedKernel = (stride: number): Kernel => {
  const kernel = shared.get(stride) ?? kernelFor(stride, ownMemoryRowsMin)
  shared.set(stride, kernel)
  return kernel
}

/**
 * Quantised vectors by row number, each padded to a multiple of 8 dimensions, in a buffer that grows by
 * doubling: in a WebAssembly memory of its own once the lane is large.
 */
export class VectorRows {
  readonly #stride: number
  #capacity = 16
  /** Null while the lane is small. */
  #own: Kernel | null = null
  #rows: Int8Array
  #scales: Float32Array

  constructor(dimensions: number) {
    this.#stride = Math.ceil(dimensions / 8) * 8
    this.#rows = new Int8Array(this.#capacity * this.#stride)
    this.#scales = new Float32Array(this.#capacity)
  }

  /** Bytes that the rows hold. */
  get bytes(): number {
    return this.#capacity * (this.#stride + 8)
  }

  #grow(): void {
    const rows = this.#rows
    const capacity = this.#capacity * 2
    const scales = new Float32Array(capacity)
    scales.set(this.#scales)
    this.#scales = scales
    this.#own = capacity < ownMemoryRowsMin ? null : kernelFor(this.#stride, capacity)
    this.#rows = this.#own?.rows ?? new Int8Array(capacity * this.#stride)
    this.#rows.set(rows)
    this.#capacity = capacity
  }

  set(row: number, { scale, vector }: QuantisedVector): void {
    while (row >= this.#capacity) this.#grow()
    const start = row * this.#stride
    this.#rows.fill(0, start, start + this.#stride)
    this.#rows.set(vector.length > this.#stride ? vector.subarray(0, this.#stride) : vector, start)
    this.#scales[row] = scale
  }

  /** Copies row `from` over row `to`. */
  move(from: number, to: number): void {
    this.#rows.copyWithin(to * this.#stride, from * this.#stride, (from + 1) * this.#stride)
    this.#scales[to] = this.#scales[from]!
  }

  /** Cosines of the query with rows 0 to `count` - 1, into `out`. */
  similarities(query: Float32Array, count: number, out: Float32Array): void {
    if (count === 0) return
    let largest = 0
    for (const coordinate of query) largest = Math.max(largest, Math.abs(coordinate))
    const isUsable = largest > 0 && Number.isFinite(largest)
    const kernel = this.#own ?? sharedKernel(this.#stride)
    let squares = 0
    kernel.query.fill(0)
    for (let index = 0; isUsable && index < query.length; index++) {
      const step = Math.round(query[index]! / largest * querySteps)
      kernel.query[index] = step
      squares += step * step
    }
    if (squares === 0) {
      out.fill(0, 0, count)
      return
    }
    if (this.#own === null) kernel.rows.set(this.#rows.subarray(0, count * this.#stride))
    kernel.multiply(count)
    const { products } = kernel
    const scale = 1 / Math.sqrt(squares)
    for (let row = 0; row < count; row++) {
      // A rounding error can exceed 1 by a few millionths.
      out[row] = Math.max(-1, Math.min(1, products[row]! * this.#scales[row]! * scale))
    }
  }
}
