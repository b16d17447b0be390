/** Numbers keys from 0 on, in the order of their first appearance. */
export class Numbering<Key> {
  readonly #numbers = new Map<Key, number>()
  readonly keys: Array<Key> = []

  of(key: Key): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.keys.length)
    return this.keys.push(key) - 1
  }
}
