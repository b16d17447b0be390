/** A map that forgets what was set longest ago once it is full. */
export class LruMap<Value> {
  readonly #values = new Map<string, Value>()
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: Value): void {
    // Again at the end: the map is in order of setting.
    this.#values.delete(key)
    this.#values.set(key, value)
    const [oldest] = this.#values.keys()
    if (this.#values.size > this.#sizeMax && oldest !== undefined) this.#values.delete(oldest)
  }
}
