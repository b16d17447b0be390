/* Stores the quantised vectors of a lane by row, and calculates their cosines with a query. */
import { finalise, fnvStep, offsetBasis } from "../../stats/Hash.ts"
import { dotsOver } from "./DotProductWasm.ts"
import type { QuantisedVector } from "./QuantisedVector.ts"

/**
 * Number of steps into which the query's largest coordinate is divided: 2^12 - 1. A dot product of a 12-bit
 * query with an 8-bit row of 4,096 dimensions fits in 31 bits.
 */
const querySteps = 4_095

/** Minimum slots of a lane to get its own WebAssembly memory, which reserves gigabytes of address space. */
const ownMemorySlotsMin = 512

/** Approximate number of bytes of a slot in addition to its vector. */
const slotBytes = 56

const pageBytes = 65_536

interface Kernel {
  readonly query: Int16Array
  readonly products: Int32Array
  readonly vectors: Int8Array
  /** Multiplies the query with the first `count` vectors, where `count` is at least 1. */
  readonly multiply: (count: number) => void
}

/** Makes a memory for `capacity` vectors of `stride` dimensions. `stride` is a multiple of 8. */
const kernelFor = (stride: number, capacity: number): Kernel => {
  const productsAt = stride * 2
  const vectorsAt = productsAt + capacity * 4
  const memory = new WebAssembly.Memory({ initial: Math.ceil((vectorsAt + capacity * stride) / pageBytes) })
  const dots = dotsOver(memory, stride)
  return {
    query: new Int16Array(memory.buffer, 0, stride),
    products: new Int32Array(memory.buffer, productsAt, capacity),
    vectors: new Int8Array(memory.buffer, vectorsAt, capacity * stride),
    multiply: (count) => dots(0, vectorsAt, count, productsAt)
  }
}

/** Writes a query in 12-bit steps. Returns the scale to a unit vector, or 0 if all coordinates are 0. */
const writeQuery = (query: Float32Array, into: Int16Array): number => {
  let largest = 0
  for (const coordinate of query) largest = Math.max(largest, Math.abs(coordinate))
  if (!(largest > 0) || !Number.isFinite(largest)) return 0
  let squares = 0
  into.fill(0)
  for (let index = 0; index < query.length; index++) {
    const step = Math.round(query[index]! / largest * querySteps)
    into[index] = step
    squares += step * step
  }
  return 1 / Math.sqrt(squares)
}

/** Shared WebAssembly memories by vector length, into which small lanes copy vectors to compare them. */
const shared = new Map<number, Kernel>()

const sharedKernel = (stride: number): Kernel => {
  const kernel = shared.get(stride) ?? kernelFor(stride, ownMemorySlotsMin)
  shared.set(stride, kernel)
  return kernel
}

/** The cosines of a query with all rows. The cosine of row i is `similarities[slots[i]]`. */
interface QuerySimilarities {
  readonly similarities: Float32Array
  /** The slot of each row, or {@link noSlot} if the row has no vector. */
  readonly slots: Int32Array
}

const noSlot = -1

/** Copies an array to a longer one, and fills the new places with the value `rest`. */
const longer = (of: Int32Array, length: number, rest = 0): Int32Array => {
  const grown = new Int32Array(length).fill(rest, of.length)
  grown.set(of)
  return grown
}

/** Rows with equal vectors share a slot, so that the vector is multiplied once. */
export class VectorRows {
  readonly #stride: number
  #capacity = 16
  /** The lane's own WebAssembly memory; null while the lane has few slots. */
  #own: Kernel | null = null
  #vectors: Int8Array
  /** The bytes of {@link #vectors} as 32-bit words. */
  #words: Int32Array
  #scales: Float32Array
  #similarities: Float32Array
  #hashes: Int32Array
  #rowCounts: Int32Array
  #slotCount = 0
  readonly #free: Array<number> = []
  /** The slot of each vector, by its hash. Of different vectors with the same hash, only one is listed. */
  readonly #slotOf = new Map<number, number>()
  #slots: Int32Array = new Int32Array(16).fill(noSlot)

  constructor(dimensions: number) {
    this.#stride = Math.ceil(dimensions / 8) * 8
    this.#vectors = new Int8Array(this.#capacity * this.#stride)
    this.#words = new Int32Array(this.#vectors.buffer)
    this.#scales = new Float32Array(this.#capacity)
    this.#similarities = new Float32Array(this.#capacity)
    this.#hashes = new Int32Array(this.#capacity)
    this.#rowCounts = new Int32Array(this.#capacity)
  }

  get bytes(): number {
    return this.#capacity * (this.#stride + slotBytes) + this.#slots.length * 4
  }

  #grow(): void {
    const capacity = this.#capacity * 2
    const vectors = this.#vectors
    this.#own = capacity < ownMemorySlotsMin ? null : kernelFor(this.#stride, capacity)
    this.#vectors = this.#own?.vectors ?? new Int8Array(capacity * this.#stride)
    this.#vectors.set(vectors)
    this.#words = new Int32Array(this.#vectors.buffer, this.#vectors.byteOffset, this.#vectors.length / 4)
    const scales = new Float32Array(capacity)
    scales.set(this.#scales)
    this.#scales = scales
    this.#similarities = new Float32Array(capacity)
    this.#hashes = longer(this.#hashes, capacity)
    this.#rowCounts = longer(this.#rowCounts, capacity)
    this.#capacity = capacity
  }

  #hashAt(slot: number): number {
    const words = this.#stride / 4
    let hash = offsetBasis
    for (let at = slot * words; at < (slot + 1) * words; at++) hash = fnvStep(hash, this.#words[at]!)
    return finalise(hash)
  }

  #isEqual(one: number, other: number): boolean {
    const words = this.#stride / 4
    if (this.#scales[one] !== this.#scales[other]) return false
    for (let i = 0; i < words; i++) {
      if (this.#words[one * words + i] !== this.#words[other * words + i]) return false
    }
    return true
  }

  #place({ scale, vector }: QuantisedVector): number {
    const slot = this.#free.pop() ?? this.#slotCount
    if (slot >= this.#capacity) this.#grow()
    const start = slot * this.#stride
    this.#vectors.fill(0, start, start + this.#stride)
    this.#vectors.set(vector.length > this.#stride ? vector.subarray(0, this.#stride) : vector, start)
    this.#scales[slot] = scale
    const hash = this.#hashAt(slot)
    const known = this.#slotOf.get(hash)
    if (known !== undefined && this.#isEqual(known, slot)) {
      if (slot < this.#slotCount) this.#free.push(slot)
      return known
    }
    this.#hashes[slot] = hash
    if (known === undefined) this.#slotOf.set(hash, slot)
    this.#slotCount = Math.max(this.#slotCount, slot + 1)
    return slot
  }

  #release(row: number): void {
    const slot = this.#slots[row]!
    if (slot === noSlot) return
    this.#slots[row] = noSlot
    const left = this.#rowCounts[slot]! - 1
    this.#rowCounts[slot] = left
    if (left > 0) return
    if (this.#slotOf.get(this.#hashes[slot]!) === slot) this.#slotOf.delete(this.#hashes[slot]!)
    this.#free.push(slot)
  }

  set(row: number, vector: QuantisedVector | null): void {
    if (row >= this.#slots.length) this.#slots = longer(this.#slots, this.#slots.length * 2, noSlot)
    this.#release(row)
    if (vector === null) return
    const slot = this.#place(vector)
    this.#slots[row] = slot
    this.#rowCounts[slot]!++
  }

  remove(row: number, last: number): void {
    this.#release(row)
    if (row === last) return
    this.#slots[row] = this.#slots[last]!
    this.#slots[last] = noSlot
  }

  /** Calculates the query's cosines with all rows. The next call overwrites the returned arrays. */
  compare(query: Float32Array): QuerySimilarities {
    const [slotCount, similarities] = [this.#slotCount, this.#similarities]
    const compared = { similarities, slots: this.#slots }
    if (slotCount === 0) return compared
    const kernel = this.#own ?? sharedKernel(this.#stride)
    const queryScale = writeQuery(query, kernel.query)
    if (queryScale === 0) {
      similarities.fill(0, 0, slotCount)
      return compared
    }
    if (this.#own === null) kernel.vectors.set(this.#vectors.subarray(0, slotCount * this.#stride))
    kernel.multiply(slotCount)
    for (let slot = 0; slot < slotCount; slot++) {
      // Because of rounding errors, a calculated cosine can exceed 1.
      const similarity = kernel.products[slot]! * this.#scales[slot]! * queryScale
      similarities[slot] = Math.max(-1, Math.min(1, similarity))
    }
    return compared
  }
}
