/** A set of buckets that stays in the processor's cache. */

/** Which of `count` buckets were added since the set was emptied: a bit each. */
export class BucketSet {
  readonly #bits: Int32Array
  constructor(count: number) {
    this.#bits = new Int32Array(count / 32)
  }

  clear(): void {
    this.#bits.fill(0)
  }

  /** Adds a bucket; returns false where it is in the set already. */
  add(bucket: number): boolean {
    const bits = this.#bits[bucket >> 5]!
    const bit = 1 << (bucket & 31)
    this.#bits[bucket >> 5] = bits | bit
    return (bits & bit) === 0
  }
}
