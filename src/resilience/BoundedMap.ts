/** A map that forgets what was set or touched longest ago once it is full; what was set last always stays. */
export class BoundedMap<Key, Value> implements Iterable<readonly [Key, Value]> {
  readonly #values = new Map<Key, Value>()
  readonly #sizeMax: number
  readonly #sizeOf: ((value: Value) => number) | undefined

  /** `sizeMax` is a count of values, or the sum of what `sizeOf` says of each when another one is set. */
  constructor(sizeMax: number, sizeOf?: (value: Value) => number) {
    this.#sizeMax = sizeMax
    this.#sizeOf = sizeOf
  }

  /** Values, count. */
  get size(): number {
    return this.#values.size
  }

  /** The sum that is bounded. */
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

  /** Sets a value that the key has already: again at the end, because the map is in this order. */
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
