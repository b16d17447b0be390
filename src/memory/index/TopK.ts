/**
 * The `limit` rows of highest similarity in each of several groups; the earlier row wins a tie. A group is a
 * heap whose root is the row to be replaced next, so that offering a row costs a few comparisons.
 */
export class TopK {
  readonly #limit: number
  readonly #counts: Int32Array
  /** The kept rows, `limit` places per group. */
  readonly #rows: Int32Array
  readonly #similarities: Float32Array

  constructor(groups: number, limit: number) {
    this.#limit = limit
    this.#counts = new Int32Array(groups)
    this.#rows = new Int32Array(groups * limit)
    this.#similarities = new Float32Array(groups * limit)
  }

  /** Rows kept in all groups, count. */
  get size(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  /** Whether the row at place `one` is to be replaced before that at `other`. */
  #isWorse(one: number, other: number): boolean {
    const difference = this.#similarities[one]! - this.#similarities[other]!
    return difference < 0 || (difference === 0 && this.#rows[one]! > this.#rows[other]!)
  }

  #swap(one: number, other: number): void {
    const row = this.#rows[one]!
    const similarity = this.#similarities[one]!
    this.#rows[one] = this.#rows[other]!
    this.#similarities[one] = this.#similarities[other]!
    this.#rows[other] = row
    this.#similarities[other] = similarity
  }

  /** Moves the root of a heap of `count` rows down to its place. */
  #sink(start: number, count: number): void {
    for (let at = 0; ;) {
      let child = 2 * at + 1
      if (child >= count) return
      if (child + 1 < count && this.#isWorse(start + child + 1, start + child)) child++
      if (!this.#isWorse(start + child, start + at)) return
      this.#swap(start + child, start + at)
      at = child
    }
  }

  /**
   * Offers a row, later than all rows that its group was offered before.
   *
   * @returns the similarity that a row must exceed from now on; offering a lower one changes nothing
   */
  offer(group: number, row: number, similarity: number): number {
    const start = group * this.#limit
    const count = this.#counts[group]!
    if (count === this.#limit) {
      if (count === 0 || similarity <= this.#similarities[start]!) return this.#floor(group)
      this.#rows[start] = row
      this.#similarities[start] = similarity
      this.#sink(start, count)
      return this.#floor(group)
    }
    let at = count
    this.#rows[start + at] = row
    this.#similarities[start + at] = similarity
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isWorse(start + at, start + parent)) break
      this.#swap(start + at, start + parent)
      at = parent
    }
    this.#counts[group] = count + 1
    return this.#floor(group)
  }

  #floor(group: number): number {
    if (this.#counts[group]! < this.#limit) return -Infinity
    return this.#limit === 0 ? Infinity : this.#similarities[group * this.#limit]!
  }

  /** The lowest kept similarity of a group; 0 when no row was offered. */
  least(group: number): number {
    return this.#counts[group] === 0 ? 0 : this.#similarities[group * this.#limit]!
  }

  /** Removes a group's rows, calling `visit` with each, most similar first. */
  drain(group: number, visit: (row: number, similarity: number) => void): void {
    const start = group * this.#limit
    const count = this.#counts[group]!
    // Moves the worst row to the end of the rest, again and again: the best comes first.
    for (let last = count - 1; last > 0; last--) {
      this.#swap(start, start + last)
      this.#sink(start, last)
    }
    this.#counts[group] = 0
    for (let at = start; at < start + count; at++) visit(this.#rows[at]!, this.#similarities[at]!)
  }
}
