/** A map of limited size: `set` drops the entries that were set or touched longest ago. */
export class BoundedMap<Key, Value> implements Iterable<readonly [Key, Value]> {
  readonly #values = new Map<Key, Value>()
  readonly #sizeMax: number
  readonly #sizeOf: ((value: Value) => number) | undefined

  /** Limits the number of values or, with `sizeOf`, their total size. The newest value always stays. */
  constructor(sizeMax: number, sizeOf?: (value: Value) => number) {
    this.#sizeMax = sizeMax
    this.#sizeOf = sizeOf
  }

  get size(): number {
    return this.#values.size
  }

  /** The sum of `sizeOf` over the values; without `sizeOf`, the number of values. */
  total(): number {
    const sizeOf = this.#sizeOf
    if (sizeOf === undefined) return this.#values.size
    let total = 0
    for (const value of this.#values.values()) total += sizeOf(value)
    return total
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  set(key: Key, value: Value): void {
    this.touch(key, value)
    let total = this.total()
    for (const [oldest, held] of this.#values) {
      if (total <= this.#sizeMax || oldest === key) return
      this.#values.delete(oldest)
      total -= this.#sizeOf?.(held) ?? 1
    }
  }

  /** Makes a value the newest entry, without dropping others. */
  touch(key: Key, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
  }

  delete(key: Key): void {
    this.#values.delete(key)
  }

  [Symbol.iterator](): IterableIterator<readonly [Key, Value]> {
    return this.#values.entries()
  }
}
