/** A linear model over hashed features of one sentence, and its file format. */
import { finalise } from "../../stats/Hash.ts"

/** `rows[bucket] * scale` is one weight, and the sum over a sentence's buckets is its log odds. */
export interface SentenceModel {
  readonly scale: number
  readonly rows: Int8Array
}

/** A small set of bucket numbers: it has one bit for each of `count` buckets. */
export class BucketSet {
  readonly #bits: Int32Array
  constructor(count: number) {
    this.#bits = new Int32Array(count / 32)
  }

  clear(): void {
    this.#bits.fill(0)
  }

  /** Returns false if the bucket is already in the set. */
  add(bucket: number): boolean {
    const bits = this.#bits[bucket >> 5]!
    const bit = 1 << (bucket & 31)
    this.#bits[bucket >> 5] = bits | bit
    return (bits & bit) === 0
  }
}

/**
 * The distinct hash buckets of one sentence: the first `size` entries of `found`. The number of possible
 * buckets is a power of two up to 2^16.
 */
export class Buckets {
  size = 0
  readonly found: Uint16Array
  readonly #met: BucketSet
  constructor(count: number) {
    this.found = new Uint16Array(count)
    this.#met = new BucketSet(count)
  }

  begin(): void {
    this.#met.clear()
    this.size = 0
  }

  add(hash: number): void {
    const bucket = finalise(hash) & (this.found.length - 1)
    if (this.#met.add(bucket)) this.found[this.size++] = bucket
  }

  list(): ReadonlyArray<number> {
    return [...this.found.subarray(0, this.size)]
  }

  logOdds({ rows, scale }: SentenceModel): number {
    let sum = 0
    for (let index = 0; index < this.size; index++) sum += rows[this.found[index]!]!
    return sum * scale
  }
}

/** Bytes of the scale, a 32-bit float before the rows. */
const headerBytes = 4

export const encode = ({ rows, scale }: SentenceModel): Uint8Array => {
  const bytes = new Uint8Array(headerBytes + rows.length)
  new Float32Array(bytes.buffer, 0, 1).set([scale])
  new Int8Array(bytes.buffer, headerBytes).set(rows)
  return bytes
}

/** Throws a RangeError that names `file` if the number of bytes is wrong. */
export const decode = (bytes: Uint8Array, count: number, file: string): SentenceModel => {
  if (bytes.byteLength !== headerBytes + count) {
    throw new RangeError(`${file} has ${bytes.byteLength} bytes`)
  }
  const copy = new Uint8Array(bytes)
  return { scale: new Float32Array(copy.buffer, 0, 1)[0]!, rows: new Int8Array(copy.buffer, headerBytes) }
}
