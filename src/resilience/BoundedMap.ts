/** A map that forgets what was set longest ago once it is full. */
export class BoundedMap<Key, Value> implements Iterable<readonly [Key, Value]> {
  readonly #values = new Map<Key, Value>()
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get size(): number {
    return this.#values.size
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  set(key: Key, value: Value): void {
    // Again at the end: the map is in order of setting.
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.#sizeMax) return
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest)
      return
    }
  }

  delete(key: Key): void {
    this.#values.delete(key)
  }

  [Symbol.iterator](): IterableIterator<readonly [Key, Value]> {
    return this.#values.entries()
  }
}
